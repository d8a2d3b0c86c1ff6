'use client';

import type { TicketStatus } from '@bailiff/core';
import { CircleX, Hand, MessageCircleQuestionMark, RotateCcw, Undo2, UserRoundPen } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { SelectField, TextAreaField } from '#components/ui/field.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { actionIn, writtenIn } from '#src/action-call.ts';

interface Props {
  guildId: string;
  ticketId: string;
  number: number;
  status: TicketStatus;
  /** Whether the reader may release it: they claimed it, or they own the guild. */
  mayRelease: boolean;
  mayWrite: boolean;
}

/** The button that claims or releases a ticket. */
export function ClaimTicket({
  guildId,
  ticketId,
  number,
  status,
  mayRelease,
  mayWrite,
  size = 'normal',
  isHeld = true,
}: Props & {
  size?: 'small' | 'normal';
  /** Whether who claimed it may still work on tickets. */
  isHeld?: boolean;
}) {
  const t = useTranslations('tickets');
  const { call, busy, failure } = useCall(status);
  if (status === 'closed') return null;
  const isClaim = status === 'open';
  const act = async () => {
    const operation = isClaim ? 'tickets.claim' : 'tickets.unclaim';
    const path = `/api/guilds/${guildId}/actions`;
    const answer = await call('POST', path, { operation, input: { ticketId } });
    if (answer !== null)
      toast({ text: t(isClaim ? 'claimedNow' : 'releasedNow', { number: String(number) }) });
  };
  const because = !mayWrite
    ? t('needs', { capability: 'tickets.write' })
    : !isClaim && !mayRelease
      ? t(isHeld ? 'notYours' : 'claimerGone')
      : null;
  const Icon = isClaim ? Hand : Undo2;
  return (
    <div>
      <Button
        size={size}
        variant={isClaim && size === 'normal' ? 'primary' : 'plain'}
        disabled={busy || because !== null}
        title={because ?? undefined}
        aria-label={t(isClaim ? 'claimNumber' : 'releaseNumber', { number: String(number) })}
        onClick={() => void act()}
      >
        <Icon aria-hidden size={size === 'small' ? 14 : 16} />
        {t(isClaim ? 'claim' : 'release')}
      </Button>
      <Failure failure={failure} />
    </div>
  );
}

/** The button that gives a ticket to somebody else, with a dialog that asks to whom. */
export function AssignTicket({
  guildId,
  ticketId,
  number,
  status,
  mayHandOver,
  mayWrite,
  handlers,
}: Omit<Props, 'mayRelease'> & {
  /** Whether the reader may take it from who claimed it. */
  mayHandOver: boolean;
  handlers: readonly { id: string; name: string }[];
}) {
  const t = useTranslations('tickets');
  const [open, setOpen] = useState(false);
  if (status === 'closed') return null;
  const because = !mayWrite
    ? t('needs', { capability: 'tickets.write' })
    : status === 'claimed' && !mayHandOver
      ? t('notYours')
      : handlers.length === 0
        ? t('assignNobody')
        : null;
  return (
    <>
      <Button
        disabled={because !== null}
        title={because ?? undefined}
        aria-label={t('assignNumber', { number: String(number) })}
        onClick={() => setOpen(true)}
      >
        <UserRoundPen aria-hidden size={16} />
        {t('assign')}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('assignTitle', { number: String(number) })}
        description={t('assignHint')}
        confirm={t('assign')}
        done={t('assignedNow', { number: String(number) })}
        request={(form) =>
          actionIn(guildId, 'tickets.assign', { ticketId, user_id: String(form.get('user_id')) })
        }
      >
        <SelectField label={t('assignTo')} name="user_id">
          {handlers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </ConfirmDialog>
    </>
  );
}

/** The button that asks the opener whether the ticket is solved. */
export function AskToClose({
  guildId,
  ticketId,
  status,
  mayWrite,
  isAsked,
}: Omit<Props, 'mayRelease' | 'number'> & { isAsked: boolean }) {
  const t = useTranslations('tickets');
  const { call, busy, failure } = useCall(isAsked);
  if (status === 'closed') return null;
  const because = !mayWrite ? t('needs', { capability: 'tickets.write' }) : isAsked ? t('isAsked') : null;
  const ask = async () => {
    const body = { operation: 'tickets.ask', input: { ticket_id: ticketId } };
    if ((await call('POST', `/api/guilds/${guildId}/actions`, body)) !== null) toast({ text: t('askedNow') });
  };
  return (
    <div>
      <Button disabled={busy || because !== null} title={because ?? undefined} onClick={() => void ask()}>
        <MessageCircleQuestionMark aria-hidden size={16} />
        {t('ask')}
      </Button>
      <Failure failure={failure} />
    </div>
  );
}

/** The button that opens a closed ticket again, with a confirmation dialog. */
export function ReopenTicket({
  guildId,
  ticketId,
  number,
  status,
  mayWrite,
  mayReopen,
}: Omit<Props, 'mayRelease'> & { mayReopen: boolean }) {
  const t = useTranslations('tickets');
  const [open, setOpen] = useState(false);
  if (status !== 'closed') return null;
  const because = !mayWrite
    ? t('needs', { capability: 'tickets.write' })
    : mayReopen
      ? null
      : t('reopenTooLate');
  return (
    <>
      <Button disabled={because !== null} title={because ?? undefined} onClick={() => setOpen(true)}>
        <RotateCcw aria-hidden size={16} />
        {t('reopen')}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('reopenTitle', { number: String(number) })}
        description={t('reopenHint')}
        confirm={t('reopen')}
        done={t('reopenedNow', { number: String(number) })}
        request={() => actionIn(guildId, 'tickets.reopen', { closed_ticket_id: ticketId })}
      />
    </>
  );
}

/** The button that closes a ticket, with a confirmation dialog. */
export function CloseTicket({ guildId, ticketId, number, status, mayWrite }: Omit<Props, 'mayRelease'>) {
  const t = useTranslations('tickets');
  const [open, setOpen] = useState(false);
  if (status === 'closed') return null;
  return (
    <>
      <Button
        disabled={!mayWrite}
        title={mayWrite ? undefined : t('needs', { capability: 'tickets.write' })}
        onClick={() => setOpen(true)}
      >
        <CircleX aria-hidden size={16} />
        {t('close')}
      </Button>
      <ConfirmDialog<{ ticket: object } | { action: object }>
        open={open}
        onClose={() => setOpen(false)}
        title={t('closeTitle', { number: String(number) })}
        description={t('closeHint')}
        confirm={t('close')}
        done={(answer) => t('action' in answer ? 'closingNow' : 'closedNow', { number: String(number) })}
        request={(form) =>
          actionIn(guildId, 'tickets.close', { ticket_id: ticketId, ...writtenIn(form, 'reason') })
        }
      >
        {(failure) => (
          <TextAreaField
            label={t('reasonOptional')}
            name="reason"
            rows={3}
            maxLength={512}
            error={failure?.issues.map(({ message }) => message)}
          />
        )}
      </ConfirmDialog>
    </>
  );
}

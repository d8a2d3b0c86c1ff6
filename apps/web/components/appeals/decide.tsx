'use client';

import { CircleX, ThumbsDown, ThumbsUp } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { actionIn, writtenIn } from '#src/action-call.ts';

interface Props {
  guildId: string;
  appealId: string;
  number: number;
  /** Why it is impossible now. */
  obstacle: string | undefined;
}

/** The buttons that vote for and against an appeal. */
export function VoteOnAppeal({ guildId, appealId, obstacle }: Props) {
  const t = useTranslations('appeals');
  const { call, busy, failure } = useCall();
  const vote = async (vote: 'for' | 'against') => {
    const body = { operation: 'appeals.vote', input: { appealId, vote } };
    if ((await call('POST', `/api/guilds/${guildId}/actions`, body)) !== null) toast({ text: t('voted') });
  };
  const isDisabled = busy || obstacle !== undefined;
  return (
    <>
      <Button disabled={isDisabled} title={obstacle} onClick={() => void vote('for')}>
        <ThumbsUp aria-hidden size={16} />
        {t('voteFor')}
      </Button>
      <Button disabled={isDisabled} title={obstacle} onClick={() => void vote('against')}>
        <ThumbsDown aria-hidden size={16} />
        {t('voteAgainst')}
      </Button>
      <Failure failure={failure} />
    </>
  );
}

/** The button that refuses an appeal. Its dialog asks for the answer to the person. */
export function RefuseAppeal({ guildId, appealId, number, obstacle }: Props) {
  const t = useTranslations('appeals');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button disabled={obstacle !== undefined} title={obstacle} onClick={() => setOpen(true)}>
        <CircleX aria-hidden size={16} />
        {t('refuse')}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('refuseTitle', { number: String(number) })}
        description={t('refuseHint')}
        confirm={t('refuse')}
        done={t('refusedNow')}
        request={(form) => actionIn(guildId, 'appeals.refuse', { appealId, ...writtenIn(form, 'reply') })}
      >
        {(failure) => (
          <TextAreaField
            label={t('replyOptional')}
            name="reply"
            rows={4}
            maxLength={1000}
            error={failure?.issues.map(({ message }) => message)}
          />
        )}
      </ConfirmDialog>
    </>
  );
}

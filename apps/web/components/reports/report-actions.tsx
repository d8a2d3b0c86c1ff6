'use client';

import { CircleCheck, Hand } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { Obstacles } from '#components/ui/obstacles.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

interface Props {
  guildId: string;
  reportId: string;
  number: string;
  isOpen: boolean;
  mostCharacters: number;
  /** Why the reader may not handle it; null if they may. */
  because: string | null;
}

/** The buttons that claim a report and close it with an answer. */
export function ReportActions({ guildId, reportId, number, isOpen, mostCharacters, because }: Props) {
  const t = useTranslations('reports');
  const { call, busy, failure } = useCall();
  const [closing, setClosing] = useState(false);
  const path = `/api/guilds/${guildId}/actions`;
  const claim = async () => {
    const body = { operation: 'reports.claim', input: { reportId } };
    if ((await call('POST', path, body)) !== null) toast({ text: t('claimed', { number }) });
  };
  return (
    <div className="grid gap-2">
      <div>
        <div className="flex flex-wrap gap-2">
          {isOpen ? (
            <Button
              size="small"
              disabled={busy || because !== null}
              aria-label={t('claimNumber', { number })}
              onClick={() => void claim()}
            >
              <Hand aria-hidden size={14} />
              {t('claimButton')}
            </Button>
          ) : null}
          <Button
            size="small"
            disabled={because !== null}
            aria-label={t('closeTitle', { number })}
            onClick={() => setClosing(true)}
          >
            <CircleCheck aria-hidden size={14} />
            {t('closeButton')}
          </Button>
        </div>
        <Obstacles because={[because]} />
      </div>
      <Failure failure={failure} />
      <ConfirmDialog
        open={closing}
        onClose={() => setClosing(false)}
        title={t('closeTitle', { number })}
        description={t('closeHint')}
        confirm={t('closeButton')}
        done={t('closed', { number })}
        request={(form) => {
          const answer = String(form.get('answer') ?? '').trim();
          const input = { reportId, ...(answer === '' ? {} : { answer }) };
          return { method: 'POST', path, body: { operation: 'reports.close', input } };
        }}
      >
        {(problem) => (
          <TextAreaField
            label={t('answerField')}
            name="answer"
            rows={3}
            maxLength={mostCharacters}
            error={problem?.issues.map(({ message }) => message)}
          />
        )}
      </ConfirmDialog>
    </div>
  );
}

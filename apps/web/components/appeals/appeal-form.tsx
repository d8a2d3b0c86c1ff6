'use client';

import type { FormEvent } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { FormFailure } from '#components/ui/form-failure.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { useKeptDraft } from '#components/use-kept-draft.ts';

const NONE: readonly string[] = [];

/** The form with the guild's questions. What is typed stays in this tab until it is sent. */
export function AppealForm({
  caseId,
  questions,
  mostCharacters,
}: {
  caseId: string;
  questions: readonly string[];
  mostCharacters: number;
}) {
  const t = useTranslations('appeals');
  const { call, busy, failure } = useCall();
  const [answers, setAnswers, settle] = useKeptDraft<readonly string[]>(`appeal:${caseId}`, NONE);
  const given = questions.map((_, index) => answers[index] ?? '');
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if ((await call('POST', `/api/appeals/${caseId}`, { questions, answers: given })) === null) return;
    settle(answers);
    toast({ text: t('own.sentNow') });
  };
  return (
    <form onSubmit={(event) => void send(event)} className="grid gap-4">
      {questions.map((question, index) => (
        <TextAreaField
          // biome-ignore lint/suspicious/noArrayIndexKey: two questions may be the same, and their order never changes
          key={index}
          label={question}
          rows={5}
          required
          maxLength={mostCharacters}
          value={given[index]}
          onChange={({ target }) =>
            setAnswers(given.map((answer, other) => (other === index ? target.value : answer)))
          }
          error={failure?.issueOf(`answers.${index}`)}
        />
      ))}
      <FormFailure failure={failure} />
      <div>
        <Button type="submit" variant="primary" disabled={busy}>
          {t('own.send')}
        </Button>
      </div>
    </form>
  );
}

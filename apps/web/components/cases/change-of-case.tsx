import type { CaseChange } from '@bailiff/engine/cases/changes';
import { lengthIn } from '@bailiff/messages/lengths';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { SEVERITY_LABELS } from './case-labels.ts';
import { Quoted } from './quoted.tsx';

/** What a change of a case changed, and why. */
export async function ChangeOfCase({ change: { before, after, why } }: { change: CaseChange }) {
  const t = await messagesFor('cases');
  const common = await messagesFor('common');
  const locale = await currentLocale();
  const length = (minutes: number | null) =>
    minutes === null ? common('permanent') : lengthIn(locale, minutes * 60);
  const { severity: was } = before;
  const { severity: is } = after;
  const { duration_minutes: lasted } = before;
  const { duration_minutes: lasts } = after;
  return (
    <>
      {after.reason === undefined ? null : <Quoted text={after.reason} none={t('noReason')} />}
      {was === undefined || is === undefined ? null : (
        <p>
          {t('severityFromTo', { before: common(SEVERITY_LABELS[was]), after: common(SEVERITY_LABELS[is]) })}
        </p>
      )}
      {lasted === undefined || lasts === undefined ? null : (
        <p>{t('lengthFromTo', { before: length(lasted), after: length(lasts) })}</p>
      )}
      {why === null ? null : <Quoted text={why} none="" />}
    </>
  );
}

import { caseKind, caseState, type InputOf, type OutputOf } from '@bailiff/core';
import type { CaseMarks } from '@bailiff/engine/cases/case-list';
import { type Locale, sayCase, type Translator, translator } from '@bailiff/messages';
import { messageLink } from 'discord.js';
import type { Reply, Spoken } from './answers.ts';
import { fitting } from './fitting.ts';
import { moment, quoted } from './text.ts';

const LONGEST_REASON = 80;
export const LONGEST_REASON_ALONE = 600;
const LONGEST_FILE_NAME = 60;

type Chat = Translator<'chat'>;
type WholeCase = OutputOf<'cases.get'>;

/** A case with its links, changes and evidence, and the messages that it is about. */
export function caseReply(
  shown: WholeCase,
  _: InputOf<'cases.get'>,
  { locale, guildId, marks }: Spoken,
): Reply {
  const t = translator(locale, 'chat');
  const lines = [
    t('cases.title', {
      number: String(shown.case_number),
      kind: sayCase(locale, shown),
      who: `<@${shown.user_id}>`,
      id: shown.user_id,
    }),
    t('cases.by', { by: `<@${shown.issued_by}>`, date: moment(shown.issued_at, 'f') }),
    shown.reason === null
      ? t('cases.noReason')
      : t('cases.reason', { reason: quoted(shown.reason, LONGEST_REASON_ALONE) }),
    shown.expires_at === null || caseKind(shown.kind).term === 'none'
      ? ''
      : t('cases.until', { date: moment(shown.expires_at, 'f') }),
    standingOf(locale, shown, marks?.get(shown.id)),
    shown.links.length === 0
      ? ''
      : t('cases.linked', { cases: shown.links.map(({ case_number }) => `#${case_number}`).join(', ') }),
    ...shown.messages.map(({ channel_id, message_id }) =>
      t('cases.about', { link: messageLink(channel_id, message_id, guildId) }),
    ),
    evidenceOf(t, shown),
    ...shown.changes.toReversed().map((change) => changeOf(t, change)),
  ];
  return { content: fitting(t, lines.filter(Boolean), []) };
}

function standingOf(locale: Locale, shown: WholeCase, marks: CaseMarks | undefined): string {
  const t = translator(locale, 'chat');
  const { ended_at, ended_by, end_reason } = shown;
  const state = caseState(shown, marks?.isReplaced);
  if (state === 'onRecord') return '';
  if (state === 'inForce') return t('cases.inForce');
  if (ended_at === null || state === 'expired') return t('cases.expired');
  if (state === 'replaced') return `${translator(locale, 'standing')(state)}, ${moment(ended_at, 'f')}`;
  return t('cases.lifted', {
    by: ended_by === null ? t('cases.someone') : `<@${ended_by}>`,
    date: moment(ended_at, 'f'),
    reasoned: end_reason === null ? 'no' : 'yes',
    reason: end_reason === null ? '' : quoted(end_reason, LONGEST_REASON),
  });
}

function evidenceOf(t: Chat, { evidence }: WholeCase): string {
  if (evidence.length === 0) return '';
  const files = evidence.map(({ name, size_bytes, problem, fetching }) =>
    t(fetching ? 'cases.fileFetching' : problem === null ? 'cases.file' : 'cases.fileNotKept', {
      name: quoted(name, LONGEST_FILE_NAME),
      size: String(Math.ceil(size_bytes / 1024)),
    }),
  );
  return t('cases.evidence', { files: files.join(', ') });
}

/** Who changed a case, when, and what stood there before. */
function changeOf(t: Chat, { changed_by, changed_at, before }: WholeCase['changes'][number]): string {
  const changed = { by: `<@${changed_by}>`, date: moment(changed_at, 'f') };
  if (before.severity !== undefined)
    return t('cases.changedSeverity', { ...changed, severity: t(`forms.${before.severity}`) });
  if (before.duration_minutes === null) return t('cases.changedForever', changed);
  if (before.expires_at !== undefined && before.expires_at !== null)
    return t('cases.changedEnd', { ...changed, end: moment(before.expires_at, 'f') });
  const reason = quoted(before.reason ?? '', LONGEST_REASON);
  return t('cases.changedReason', { ...changed, reason });
}

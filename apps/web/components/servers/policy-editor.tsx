'use client';

import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Badge } from '#components/ui/badge.tsx';
import { TextAreaField, TextField } from '#components/ui/field.tsx';
import { useApi } from '#components/use-call.ts';
import { type Verdict, VerdictText } from './verdict.tsx';

/** The pause after which a typed command is checked, in milliseconds. */
const SETTLE_MS = 300;

/** The editor of a command policy: its two lists, and a field to try a command on them. */
export function PolicyEditor({
  guildId,
  allow,
  deny,
  failure,
}: {
  guildId: string;
  allow: readonly string[];
  deny: readonly string[];
  failure: CallFailure | null;
}) {
  const t = useTranslations('servers');
  const [allowText, setAllowText] = useState(allow.join('\n'));
  const [denyText, setDenyText] = useState(deny.join('\n'));
  const [command, setCommand] = useState('');
  const judged = useVerdict(guildId, allowText, denyText, command);
  const wrong = judged instanceof CallFailure ? judged : failure;
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-1 font-medium">{t('policy')}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextAreaField
          label={t('allowOnly')}
          name="allow_patterns"
          rows={3}
          className="font-mono"
          placeholder={'list\nsay *'}
          spellCheck={false}
          value={allowText}
          onChange={({ target }) => setAllowText(target.value)}
          hint={t('allowHint')}
          error={linesOf(wrong, 'allow_patterns')}
        />
        <TextAreaField
          label={t('deny')}
          name="deny_patterns"
          rows={3}
          className="font-mono"
          placeholder={'stop\n*op *'}
          spellCheck={false}
          value={denyText}
          onChange={({ target }) => setDenyText(target.value)}
          hint={t('denyHint')}
          error={linesOf(wrong, 'deny_patterns')}
        />
      </div>
      <div>
        <TextField
          label={t('tryCommand')}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          placeholder="say Good evening"
          maxLength={1446}
          value={command}
          onChange={({ target }) => setCommand(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault(); // Enter would save the server
          }}
        />
        <p aria-live="polite" className="flex min-h-6 flex-wrap items-center gap-1.5">
          <Answer judged={judged} />
        </p>
      </div>
    </fieldset>
  );
}

function Answer({ judged }: { judged: Verdict | CallFailure | null }) {
  const t = useTranslations('servers');
  if (judged === null) return null;
  if (judged instanceof CallFailure) {
    const said = judged.issues.some(({ path }) => path.includes('_patterns'));
    return <span className="text-danger text-xs">{said ? t('correctFirst') : judged.message}</span>;
  }
  return (
    <>
      <Badge tone={judged.allowed ? 'good' : 'bad'}>{t(judged.allowed ? 'allowed' : 'denied')}</Badge>
      <span className="text-ink-soft text-xs">
        <VerdictText verdict={judged} />
      </span>
    </>
  );
}

/** The server's verdict on the command, from the same code that judges real commands. */
function useVerdict(
  guildId: string,
  allowText: string,
  denyText: string,
  command: string,
): Verdict | CallFailure | null {
  const api = useApi();
  const [judged, setJudged] = useState<Verdict | CallFailure | null>(null);
  useEffect(() => {
    setJudged(null);
    if (command.trim() === '') return;
    let isOutdated = false;
    const timer = setTimeout(() => {
      void api<Verdict>('POST', `/api/guilds/${guildId}/servers/judge-command`, {
        command,
        allow_patterns: patternsOf(allowText),
        deny_patterns: patternsOf(denyText),
      }).then((answer) => isOutdated || setJudged(answer));
    }, SETTLE_MS);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [api, guildId, allowText, denyText, command]);
  return judged;
}

/**
 * The typed lines, without empty ones at the end. Empty lines between others stay, so that line numbers in errors are
 * right.
 */
export function patternsOf(text: string): string[] {
  return text.trim() === '' ? [] : text.trimEnd().split('\n');
}

function linesOf(failure: CallFailure | null, list: string): string | undefined {
  const messages = failure?.issues.filter(({ path }) => path.startsWith(`${list}.`)) ?? [];
  return messages.length === 0 ? undefined : messages.map(({ message }) => message).join('; ');
}

'use client';

import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { TextAreaField } from '#components/ui/field.tsx';

/** An entry of an allowlist as typed, with its line number. */
interface Entry {
  readonly text: string;
  readonly line: number;
}

/** The entries as typed: one per line, or separated by commas or spaces. */
function entriesIn(text: string): Entry[] {
  return text.split('\n').flatMap((line, index) =>
    line
      .split(/[\s,]+/)
      .filter((entry) => entry !== '')
      .map((entry) => ({ text: entry, line: index + 1 })),
  );
}

/** The value of the field `ip_allowlist` of a form, for the API. */
export function allowlistOf(form: FormData): string[] {
  return entriesIn(String(form.get('ip_allowlist') ?? '')).map(({ text }) => text);
}

/**
 * The field for the addresses from which a token may be used. Errors name the line.
 *
 * @param myAddress null if it is not known: behind a forgotten proxy it would be that of everybody
 * @param clientAddress of the program that asks for the token, if it is for one
 */
export function AllowlistField({
  stored = [],
  myAddress,
  clientAddress,
  failure,
}: {
  stored?: readonly string[];
  myAddress: string | null;
  clientAddress?: string | undefined;
  failure: CallFailure | null;
}) {
  const t = useTranslations('tokens');
  const [text, setText] = useState(stored.join('\n'));
  const [sent, setSent] = useState<{ failure: CallFailure | null; entries: Entry[] }>({
    failure,
    entries: [],
  });
  // The line numbers refer to the entries as they were sent, not to later edits.
  if (sent.failure !== failure) setSent({ failure, entries: entriesIn(text) });
  const errors = sent.failure?.issues
    .filter(({ path }) => path.startsWith('ip_allowlist'))
    .map(({ path, message }) => {
      const line = sent.entries[Number(path.split('.')[1])]?.line;
      return line === undefined ? message : t('allowlistLine', { line, problem: message });
    });
  const offered = clientAddress ?? myAddress;
  const isThere = entriesIn(text).some((entry) => entry.text === offered);
  return (
    <div>
      <TextAreaField
        label={t('allowlist')}
        name="ip_allowlist"
        rows={4}
        className="font-mono"
        placeholder="203.0.113.0/24"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        hint={t('allowlistHint')}
        error={errors}
      />
      {myAddress === null || offered === null ? (
        <p className="text-warn mt-2 text-xs">{t('myAddressUnknown')}</p>
      ) : (
        <Button
          size="small"
          className="mt-2"
          disabled={isThere}
          onClick={() => setText(text.trim() === '' ? offered : `${text.trimEnd()}\n${offered}`)}
        >
          {t(clientAddress === undefined ? 'addMyAddress' : 'addClientAddress', { address: offered })}
        </Button>
      )}
    </div>
  );
}

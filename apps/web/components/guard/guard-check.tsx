'use client';

import type { TokenState } from '@bailiff/engine/tokens/token-view';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { SelectField, TextAreaField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { Callout, Panel } from '#components/ui/panel.tsx';
import { useApi } from '#components/use-call.ts';
import type { CheckWire } from '#src/dashboard-api/guard.ts';
import { GuardResult } from './guard-result.tsx';
import { type PastedRequest, readRequest } from './read-request.ts';

interface CheckToken {
  id: string;
  name: string;
  state: TokenState;
  /** The end of the token's secret, by which the token of a pasted request is found. */
  secretEnd: string;
}

/** The form for a pasted request, its token and its address; below it the answer that the guard would give. */
export function GuardCheck({
  guildId,
  tokens,
  myAddress,
  publicUrl,
}: {
  guildId: string;
  tokens: readonly CheckToken[];
  myAddress: string;
  publicUrl: string;
}) {
  const t = useTranslations('guard');
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<CallFailure | null>(null);
  const [text, setText] = useState('');
  const [tokenId, setTokenId] = useState(tokens[0]?.id ?? '');
  const [result, setResult] = useState<CheckWire | null>(null);
  const pasted = readRequest(text, guildId);
  const paste = (next: string) => {
    setText(next);
    const end = readRequest(next, guildId)?.secretEnd;
    const known = end == null ? undefined : tokens.find(({ secretEnd }) => secretEnd === end);
    if (known !== undefined) setTokenId(known.id);
  };
  const check = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pasted === null) return;
    const address = String(new FormData(event.currentTarget).get('address') ?? '');
    setResult(null);
    setBusy(true);
    const body = bodyOf(pasted, { tokenId, address });
    const answer = await api<CheckWire>('POST', `/api/guilds/${guildId}/guard-check`, body);
    setBusy(false);
    setFailure(answer instanceof CallFailure ? answer : null);
    if (!(answer instanceof CallFailure)) setResult(answer);
  };
  const problems = failure?.issues.filter(({ path }) => path !== 'address').map(({ message }) => message);
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <Panel className="p-4">
        <form onSubmit={(event) => void check(event)} className="grid gap-4">
          <TextAreaField
            label={t('request')}
            rows={9}
            required
            spellCheck={false}
            className="font-mono text-xs"
            placeholder={'POST /bans\n{ "user_id": "…", "reason": "…" }'}
            value={text}
            onChange={({ target }) => paste(target.value)}
            hint={t('requestHint')}
            error={text.trim() !== '' && pasted === null ? t('unreadable') : problems}
          />
          <OtherOrigin origin={pasted?.origin ?? null} publicUrl={publicUrl} />
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label={t('token')}
              value={tokenId}
              onChange={({ target }) => setTokenId(target.value)}
              hint={t('tokenHint')}
            >
              {tokens.map(({ id, name, state }) => (
                <option key={id} value={id}>
                  {t('tokenState', { name, state })}
                </option>
              ))}
            </SelectField>
            <TextField
              label={t('address')}
              name="address"
              required
              className="font-mono"
              defaultValue={myAddress}
              hint={t('addressHint')}
              error={failure?.issueOf('address')}
            />
          </div>
          <FormActions
            submit={t('check')}
            busy={busy}
            failure={failure}
            disabledBecause={pasted === null ? t('unreadable') : null}
          />
        </form>
      </Panel>
      {result === null ? null : <GuardResult result={result} />}
    </div>
  );
}

function OtherOrigin({ origin, publicUrl }: { origin: string | null; publicUrl: string }) {
  const t = useTranslations('guard');
  if (origin === null || origin.toLowerCase() === publicUrl) return null;
  return <Callout>{t('elsewhere', { host: origin })}</Callout>;
}

function bodyOf(pasted: PastedRequest, { tokenId, address }: { tokenId: string; address: string }): object {
  return {
    token_id: tokenId,
    address,
    method: pasted.method,
    path: pasted.path,
    ...(pasted.body === null ? {} : { body: pasted.body }),
    ...(pasted.contentType === null ? {} : { content_type: pasted.contentType }),
    ...(pasted.sentOrigin === null ? {} : { origin: pasted.sentOrigin }),
    ...(pasted.idempotencyKey === null ? {} : { idempotency_key: pasted.idempotencyKey }),
  };
}

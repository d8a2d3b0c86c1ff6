'use client';

import type { Capability, OutputOf } from '@bailiff/core';
import { GAME_PLATFORMS, type GamePlatform } from '@bailiff/core/game-identities';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import type { People } from '#src/people.ts';
import { Person } from './person.tsx';

type Identity = OutputOf<'identities.list'>['data'][number];

const NEEDS = 'strikes.write' satisfies Capability;

/** A person's identities in games, newest first, with the buttons that the reader may use. */
export function Identities({
  userId,
  identities,
  people,
  capabilities,
}: {
  userId: string;
  identities: readonly Identity[];
  people: People;
  capabilities: readonly Capability[];
}) {
  const t = useTranslations('members');
  const say = useTranslations('commands');
  const mayWrite = capabilities.includes(NEEDS);
  return (
    <div>
      {identities.length === 0 ? (
        <p className="text-ink-soft px-3.5 py-3">{t('noIdentity')}</p>
      ) : (
        <ul>
          {identities.map((identity) => (
            <li key={identity.id} className="border-line flex items-start gap-3 border-b px-3.5 py-3">
              <div className="min-w-0 flex-1">
                <p className="font-mono text-xs wrap-anywhere">{identity.in_game_id}</p>
                <p className="text-ink-soft mt-1 text-xs">
                  {say(`choices.${identity.platform}`)},{' '}
                  {t.rich('noteBy', { person: () => <Person id={identity.set_by} people={people} /> })}{' '}
                  <RelativeTime iso={identity.set_at} />
                </p>
              </div>
              {mayWrite ? (
                <RemoveIdentity guildId={people.guildId} userId={userId} identity={identity} />
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {mayWrite ? <AddIdentity guildId={people.guildId} userId={userId} /> : null}
    </div>
  );
}

function AddIdentity({ guildId, userId }: { guildId: string; userId: string }) {
  const t = useTranslations('members');
  const say = useTranslations('commands');
  const { call, busy, failure } = useCall();
  const [platform, setPlatform] = useState<GamePlatform>('minecraft');
  const [text, setText] = useState('');
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const input = { user_id: userId, platform, in_game_id: text.trim() };
    const body = { operation: 'identities.add', input };
    if ((await call('POST', `/api/guilds/${guildId}/actions`, body)) === null) return;
    setText('');
    toast({ text: t('identityAdded') });
  };
  return (
    <form onSubmit={(event) => void add(event)} className="grid gap-3 px-3.5 py-3">
      <SelectField
        label={t('platform')}
        value={platform}
        onChange={({ target }) =>
          setPlatform(GAME_PLATFORMS.find((each) => each === target.value) ?? platform)
        }
      >
        {GAME_PLATFORMS.map((each) => (
          <option key={each} value={each}>
            {say(`choices.${each}`)}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t('nameOrId')}
        required
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        error={failure?.issueOf('in_game_id')}
      />
      <FormActions submit={t('addIdentity')} busy={busy} failure={failure} />
    </form>
  );
}

function RemoveIdentity({
  guildId,
  userId,
  identity,
}: {
  guildId: string;
  userId: string;
  identity: Identity;
}) {
  const t = useTranslations('members');
  const [open, setOpen] = useState(false);
  const remove = t('removeIdentity', { identity: identity.in_game_id });
  const input = { user_id: userId, identity_id: identity.id };
  return (
    <>
      <Button size="small" variant="quiet" aria-label={remove} onClick={() => setOpen(true)}>
        <Trash2 aria-hidden size={14} />
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={remove}
        description={t('removeIdentityHint')}
        confirm={remove}
        danger
        done={t('identityRemoved')}
        request={() => ({
          method: 'POST',
          path: `/api/guilds/${guildId}/actions`,
          body: { operation: 'identities.remove', input },
        })}
      />
    </>
  );
}

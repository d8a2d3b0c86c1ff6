'use client';

import type { Capability, OutputOf } from '@bailiff/core';
import { GAME_PLATFORMS, type GamePlatform } from '@bailiff/core/game-identities';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import type { People } from '#src/people.ts';
import { EntriesOnPerson } from './entries-on-person.tsx';

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
      <EntriesOnPerson
        empty={t('noIdentity')}
        people={people}
        mayWrite={mayWrite}
        entries={identities.map(({ id, platform, in_game_id, set_by, set_at }) => ({
          id,
          body: <p className="font-mono text-xs wrap-anywhere">{in_game_id}</p>,
          lead: <>{say(`choices.${platform}`)}, </>,
          by: set_by,
          at: set_at,
          removal: {
            label: t('removeIdentity', { identity: in_game_id }),
            hint: t('removeIdentityHint'),
            done: t('identityRemoved'),
            operation: 'identities.remove',
            input: { user_id: userId, identity_id: id },
          },
        }))}
      />
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
    setText((now) => (now === text ? '' : now));
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

'use client';

import type { Capability, OutputOf } from '@bailiff/core';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { TextAreaField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import type { People } from '#src/people.ts';
import { EntriesOnPerson } from './entries-on-person.tsx';

type Note = OutputOf<'notes.list'>['data'][number];

const NEEDS = 'strikes.write' satisfies Capability;

/** The notes on a person, newest first, with the buttons that the reader may use. */
export function Notes({
  userId,
  notes,
  people,
  capabilities,
}: {
  userId: string;
  notes: readonly Note[];
  people: People;
  capabilities: readonly Capability[];
}) {
  const t = useTranslations('members');
  const mayWrite = capabilities.includes(NEEDS);
  return (
    <div>
      <EntriesOnPerson
        empty={t('noNotes')}
        people={people}
        mayWrite={mayWrite}
        entries={notes.map(({ id, text, written_by, written_at }) => ({
          id,
          body: <p className="whitespace-pre-wrap wrap-anywhere">{text}</p>,
          by: written_by,
          at: written_at,
          removal: {
            label: t('removeNote'),
            hint: t('removeNoteHint'),
            done: t('noteRemoved'),
            operation: 'notes.remove',
            input: { user_id: userId, note_id: id },
          },
        }))}
      />
      {mayWrite ? <AddNote guildId={people.guildId} userId={userId} /> : null}
    </div>
  );
}

function AddNote({ guildId, userId }: { guildId: string; userId: string }) {
  const t = useTranslations('members');
  const { call, busy, failure } = useCall();
  const [text, setText] = useState('');
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const input = { user_id: userId, text: text.trim() };
    if ((await call('POST', `/api/guilds/${guildId}/actions`, { operation: 'notes.add', input })) === null)
      return;
    setText('');
    toast({ text: t('noteAdded') });
  };
  return (
    <form onSubmit={(event) => void add(event)} className="grid gap-3 px-3.5 py-3">
      <TextAreaField
        label={t('noteText')}
        required
        rows={2}
        maxLength={1000}
        value={text}
        onChange={({ target }) => setText(target.value)}
        error={failure?.issueOf('text')}
      />
      <FormActions submit={t('addNote')} busy={busy} failure={failure} />
    </form>
  );
}

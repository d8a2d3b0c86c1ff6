'use client';

import type { Capability, OperationName, OutputOf } from '@bailiff/core';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { TextAreaField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import type { People } from '#src/people.ts';
import { EntriesOnPerson } from './members/entries-on-person.tsx';

/** A note on a person or on a ticket. */
type Note = Pick<OutputOf<'notes.list'>['data'][number], 'id' | 'text' | 'written_by' | 'written_at'>;

/** What notes can be about: where their words are, what writes and removes them, and who may do that. */
const SUBJECTS = {
  members: { add: 'notes.add', remove: 'notes.remove', needs: 'strikes.write' },
  tickets: { add: 'tickets.note', remove: 'tickets.unnote', needs: 'tickets.write' },
} as const satisfies Record<string, { add: OperationName; remove: OperationName; needs: Capability }>;

/** What these notes are about, with the fields that name it in each call. */
interface About {
  readonly subject: keyof typeof SUBJECTS;
  readonly input: Readonly<Record<string, string>>;
}

/** Notes, newest first, with the buttons that the reader may use. */
export function Notes({
  subject,
  input,
  notes,
  people,
  capabilities,
}: About & {
  notes: readonly Note[];
  people: People;
  capabilities: readonly Capability[];
}) {
  const t = useTranslations(subject);
  const mayWrite = capabilities.includes(SUBJECTS[subject].needs);
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
            operation: SUBJECTS[subject].remove,
            input: { ...input, note_id: id },
          },
        }))}
      />
      {mayWrite ? <AddNote guildId={people.guildId} subject={subject} input={input} /> : null}
    </div>
  );
}

function AddNote({ subject, input: about, guildId }: About & { guildId: string }) {
  const t = useTranslations(subject);
  const { call, busy, failure } = useCall();
  const [text, setText] = useState('');
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const body = { operation: SUBJECTS[subject].add, input: { ...about, text: text.trim() } };
    if ((await call('POST', `/api/guilds/${guildId}/actions`, body)) === null) return;
    setText((now) => (now === text ? '' : now));
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

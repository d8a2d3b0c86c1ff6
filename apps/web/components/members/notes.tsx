'use client';

import type { Capability, OutputOf } from '@bailiff/core';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import type { People } from '#src/people.ts';
import { Person } from './person.tsx';

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
      {notes.length === 0 ? (
        <p className="text-ink-soft px-3.5 py-3">{t('noNotes')}</p>
      ) : (
        <ul>
          {notes.map((note) => (
            <li key={note.id} className="border-line flex items-start gap-3 border-b px-3.5 py-3">
              <div className="min-w-0 flex-1">
                <p className="whitespace-pre-wrap wrap-anywhere">{note.text}</p>
                <p className="text-ink-soft mt-1 text-xs">
                  {t.rich('noteBy', { person: () => <Person id={note.written_by} people={people} /> })}{' '}
                  <RelativeTime iso={note.written_at} />
                </p>
              </div>
              {mayWrite ? <RemoveNote guildId={people.guildId} userId={userId} noteId={note.id} /> : null}
            </li>
          ))}
        </ul>
      )}
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

function RemoveNote({ guildId, userId, noteId }: { guildId: string; userId: string; noteId: string }) {
  const t = useTranslations('members');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="small" variant="quiet" aria-label={t('removeNote')} onClick={() => setOpen(true)}>
        <Trash2 aria-hidden size={14} />
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('removeNote')}
        description={t('removeNoteHint')}
        confirm={t('removeNote')}
        danger
        done={t('noteRemoved')}
        request={() => ({
          method: 'POST',
          path: `/api/guilds/${guildId}/actions`,
          body: { operation: 'notes.remove', input: { user_id: userId, note_id: noteId } },
        })}
      />
    </>
  );
}

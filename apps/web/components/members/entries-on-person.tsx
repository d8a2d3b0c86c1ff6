'use client';

import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { actionIn } from '#src/action-call.ts';
import type { People } from '#src/people.ts';
import { Person } from './person.tsx';

export interface EntryOnPerson {
  readonly id: string;
  readonly body: ReactNode;
  /** What stands before who wrote it. */
  readonly lead?: ReactNode;
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  readonly removal: Removal;
}

interface Removal {
  /** What the button does. */
  readonly label: string;
  readonly hint: string;
  readonly done: string;
  readonly operation: string;
  readonly input: object;
}

/** What moderators keep about a person: each entry with who wrote it and when, and a button that removes it. */
export function EntriesOnPerson({
  entries,
  empty,
  people,
  mayWrite,
}: {
  entries: readonly EntryOnPerson[];
  /** The text where there is no entry. */
  empty: string;
  people: People;
  mayWrite: boolean;
}) {
  const t = useTranslations('members');
  if (entries.length === 0) return <p className="text-ink-soft px-3.5 py-3">{empty}</p>;
  return (
    <ul>
      {entries.map(({ id, body, lead, by, at, removal }) => (
        <li key={id} className="border-line flex items-start gap-3 border-b px-3.5 py-3">
          <div className="min-w-0 flex-1">
            {body}
            <p className="text-ink-soft mt-1 text-xs">
              {lead}
              {t.rich('noteBy', { person: () => <Person id={by} people={people} /> })}{' '}
              <RelativeTime iso={at} />
            </p>
          </div>
          {mayWrite ? <Remove guildId={people.guildId} removal={removal} /> : null}
        </li>
      ))}
    </ul>
  );
}

function Remove({ guildId, removal }: { guildId: string; removal: Removal }) {
  const [open, setOpen] = useState(false);
  const { label, hint, done, operation, input } = removal;
  return (
    <>
      <Button size="small" variant="quiet" aria-label={label} onClick={() => setOpen(true)}>
        <Trash2 aria-hidden size={14} />
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={label}
        description={hint}
        confirm={label}
        danger
        done={done}
        request={() => actionIn(guildId, operation, input)}
      />
    </>
  );
}

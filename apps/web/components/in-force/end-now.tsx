'use client';

import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { actionIn, writtenIn } from '#src/action-call.ts';
import type { EndCall } from '#src/in-force.ts';

/** What the button and its dialog say. */
export interface EndWords {
  readonly button: string;
  /** What it does, as the dialog's title. */
  readonly title: string;
  readonly label: string;
  readonly hint: string;
  readonly reason: string;
  readonly done: string;
  /** What is said instead if nothing was taken back. */
  readonly left?: string | undefined;
}

interface Answer {
  readonly ended?: { readonly left: boolean };
}

/** The button that ends something that is in force before its time. Its dialog asks for the reason. */
export function EndNow({ guildId, call, words }: { guildId: string; call: EndCall; words: EndWords }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="small" aria-label={words.label} onClick={() => setOpen(true)}>
        <Undo2 aria-hidden size={14} />
        {words.button}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={words.title}
        description={words.hint}
        confirm={words.button}
        done={({ ended }: Answer) => (ended?.left === true ? (words.left ?? words.done) : words.done)}
        request={(form) => actionIn(guildId, call.operation, { ...call.input, ...writtenIn(form, 'reason') })}
      >
        {(failure) => (
          <TextAreaField
            label={words.reason}
            name="reason"
            rows={3}
            maxLength={512}
            error={failure?.issues.map(({ message }) => message)}
          />
        )}
      </ConfirmDialog>
    </>
  );
}

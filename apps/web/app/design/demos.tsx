'use client';

import { useState } from 'react';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { CopyButton } from '#components/ui/copy-button.tsx';
import { Countdown } from '#components/ui/countdown.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { ErrorState } from '#components/ui/error-state.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { Panel } from '#components/ui/panel.tsx';
import { Switch } from '#components/ui/switch.tsx';
import { Tabs } from '#components/ui/tabs-panel.tsx';
import { toast } from '#components/ui/toast.tsx';

const FAILURE = Object.assign(new Error('A page failed.'), { digest: 'req_0199a1b2' });
const NINETY_SECONDS_MS = 90_000;

export function Demos() {
  const [open, setOpen] = useState<'dialog' | 'confirm' | null>(null);
  const [on, setOn] = useState(true);
  const close = () => setOpen(null);
  return (
    <Panel className="grid gap-5 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => setOpen('dialog')}>Open a dialog</Button>
        <Button variant="danger" onClick={() => setOpen('confirm')}>
          Ask before it is done
        </Button>
        <Button onClick={() => toast({ text: 'The ticket is claimed.' })}>Say it in passing</Button>
        <Button onClick={() => toast({ text: 'The server could not be reached.', tone: 'bad' })}>
          Say that it failed
        </Button>
        <CopyButton text="svcpat_…" label="Copy the secret" />
        <Countdown leftMs={NINETY_SECONDS_MS} />
      </div>
      <div>
        <Switch
          label="Tell members what was done to them"
          hint="By direct message, in the guild's language."
          checked={on}
          onChange={setOn}
        />
      </div>
      <Tabs
        label="Clients"
        items={[
          { value: 'one', label: 'One client', content: <p>What is pasted into one client.</p> },
          { value: 'other', label: 'Another', content: <p>What is pasted into another.</p> },
        ]}
      />
      <ErrorState error={FAILURE} retry={() => toast({ text: 'Tried again.' })} />
      <Dialog
        open={open === 'dialog'}
        onOpenChange={close}
        title="A dialog"
        description="Esc and the cross close it."
      >
        <div className="flex justify-end">
          <Button onClick={close}>Close</Button>
        </div>
      </Dialog>
      <ConfirmDialog
        open={open === 'confirm'}
        onClose={close}
        title="Revoke nightly-report"
        description="Whatever uses it stops working at once. This cannot be undone."
        confirm="Revoke"
        danger
        typed="nightly-report"
        request={() => ({ method: 'POST', path: '/api/nothing-is-here' })}
        done="The token is revoked."
      >
        <TextAreaField label="Reason" name="reason" rows={2} hint="It stays when the server refuses" />
      </ConfirmDialog>
    </Panel>
  );
}

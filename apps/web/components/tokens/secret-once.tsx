'use client';

import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Notice } from '../ui/panel.tsx';

/** A secret, shown this once, with a line that tries it. */
export function SecretOnce({
  secret,
  publicUrl,
  onStored,
}: {
  secret: string;
  publicUrl: string;
  onStored: () => void;
}) {
  const curl = `curl -H "Authorization: Bearer ${secret}" ${publicUrl}/api/public/v1/me`;
  return (
    <div className="grid gap-4">
      <Notice tone="warn" title="This is shown once">
        Store it now, in a password manager or a secret store. Nobody can show it again, not even us.
      </Notice>
      <Copyable label="Secret" text={secret} />
      <Copyable label="Try it" text={curl} />
      <div className="flex justify-end">
        <Button look="primary" onClick={onStored}>
          I have stored it
        </Button>
      </div>
    </div>
  );
}

function Copyable({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <div className="mb-1 flex items-center justify-between gap-2">
        <span className="font-medium">{label}</span>
        <CopyButton text={text} label={`Copy the ${label === 'Secret' ? 'secret' : 'line'}`} />
      </div>
      <code className="bg-canvas border-line block rounded-md border p-2.5 font-mono text-xs break-all">
        {text}
      </code>
    </div>
  );
}

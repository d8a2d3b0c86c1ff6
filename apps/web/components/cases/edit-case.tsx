'use client';

import type { Capability } from '@bailiff/core';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { lazyPart } from '#components/ui/lazy-part.tsx';
import type { EditableCase } from './edit-case-form.tsx';

/** Loaded when somebody opens it, because most visits change nothing. */
const Form = lazyPart(async () => (await import('./edit-case-form.tsx')).EditCaseForm);

/** The button that changes a case: its reason, and what else can change while it is in force. */
export function EditCase({
  needs,
  capabilities,
  ...edited
}: EditableCase & {
  needs: Capability;
  capabilities: readonly Capability[];
}) {
  const t = useTranslations('cases');
  const [open, setOpen] = useState(false);
  const may = capabilities.includes(needs);
  const close = () => setOpen(false);
  return (
    <>
      <Button
        disabled={!may}
        title={may ? undefined : t('needs', { capability: needs })}
        onClick={() => setOpen(true)}
      >
        <Pencil aria-hidden size={16} />
        {t('edit')}
      </Button>
      <Dialog
        open={open}
        onOpenChange={close}
        title={`${t('edit')} (#${edited.number})`}
        description={t('editHint')}
      >
        <Form {...edited} onClose={close} />
      </Dialog>
    </>
  );
}

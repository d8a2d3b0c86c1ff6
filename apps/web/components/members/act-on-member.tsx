'use client';

import type { Capability } from '@bailiff/core';
import { Gavel, type LucideIcon, MicOff, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import type { PersonOffer } from '#src/offers.ts';
import { ActForm, type ActTarget } from './act-form.tsx';

/** How each operation on a person looks, in the order of the buttons. */
const LOOKS = {
  'strikes.add': { button: 'strike', title: 'strikeOf', done: 'struck', Icon: TriangleAlert, danger: false },
  'mutes.add': { button: 'mute', title: 'muteOf', done: 'muted', Icon: MicOff, danger: false },
  'bans.add': { button: 'ban', title: 'banOf', done: 'banned', Icon: Gavel, danger: true },
} as const satisfies Record<
  PersonOffer['operation'],
  { button: string; title: string; done: string; Icon: LucideIcon; danger: boolean }
>;

const NAMES = Object.keys(LOOKS) as PersonOffer['operation'][];

/** The buttons for what can be done to a person, each with its dialog. */
export function ActOnMember({
  capabilities,
  offers,
  ...target
}: ActTarget & { capabilities: readonly Capability[]; offers: readonly PersonOffer[] }) {
  const t = useTranslations('cases');
  const [open, setOpen] = useState<PersonOffer['operation'] | null>(null);
  const close = () => setOpen(null);
  const shown = offers.toSorted((a, b) => NAMES.indexOf(a.operation) - NAMES.indexOf(b.operation));
  return (
    <>
      {shown.map(({ operation, needs }) => {
        const { button, danger, Icon } = LOOKS[operation];
        const may = capabilities.includes(needs);
        return (
          <Button
            key={operation}
            look={danger ? 'danger' : 'plain'}
            disabled={!may}
            title={may ? undefined : t('needs', { capability: needs })}
            onClick={() => setOpen(operation)}
          >
            <Icon aria-hidden size={16} />
            {t(button)}
          </Button>
        );
      })}
      {shown.map((offer) => {
        const { button, title, done, danger } = LOOKS[offer.operation];
        const { name } = target;
        return (
          <Dialog
            key={offer.operation}
            open={open === offer.operation}
            onOpenChange={close}
            title={t(title, { name })}
          >
            <ActForm
              offer={offer}
              submit={t(button)}
              danger={danger}
              doneText={(number) => t(done, { name, number })}
              onClose={close}
              {...target}
            />
          </Dialog>
        );
      })}
    </>
  );
}

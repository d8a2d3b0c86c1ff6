'use client';

import type { Capability } from '@bailiff/core';
import { Gavel, type LucideIcon, MicOff, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import type { PersonOffer } from '#src/offers.ts';
import { ActForm, type ActTarget } from './act-form.tsx';

/** The icon and style of each operation on a person, in the order of the buttons. */
const ACTION_STYLES = {
  'strikes.add': { Icon: TriangleAlert, danger: false },
  'mutes.add': { Icon: MicOff, danger: false },
  'bans.add': { Icon: Gavel, danger: true },
} as const satisfies Record<PersonOffer['operation'], { Icon: LucideIcon; danger: boolean }>;

const NAMES = Object.keys(ACTION_STYLES) as PersonOffer['operation'][];

/** The buttons for operations on a person, each with its dialog. */
export function ActOnMember({
  capabilities,
  offers,
  ...target
}: ActTarget & { capabilities: readonly Capability[]; offers: readonly PersonOffer[] }) {
  const t = useTranslations('cases');
  const say = useTranslations('operations');
  const [open, setOpen] = useState<PersonOffer['operation'] | null>(null);
  const close = () => setOpen(null);
  const shown = offers.toSorted((a, b) => NAMES.indexOf(a.operation) - NAMES.indexOf(b.operation));
  return (
    <>
      {shown.map(({ operation, needs }) => {
        const { danger, Icon } = ACTION_STYLES[operation];
        const may = capabilities.includes(needs);
        return (
          <Button
            key={operation}
            variant={danger ? 'danger' : 'plain'}
            disabled={!may}
            title={may ? undefined : t('needs', { capability: needs })}
            onClick={() => setOpen(operation)}
          >
            <Icon aria-hidden size={16} />
            {say(`${operation}.dashboard.button`)}
          </Button>
        );
      })}
      {shown.map((offer) => {
        const { operation } = offer;
        const { name } = target;
        return (
          <Dialog
            key={operation}
            open={open === operation}
            onOpenChange={close}
            title={say(`${operation}.dashboard.dialog`, { name })}
          >
            <ActForm
              offer={offer}
              submit={say(`${operation}.dashboard.button`)}
              danger={ACTION_STYLES[operation].danger}
              doneText={(number) => say(`${operation}.dashboard.done`, { name, number })}
              onClose={close}
              {...target}
            />
          </Dialog>
        );
      })}
    </>
  );
}

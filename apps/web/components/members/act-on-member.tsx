'use client';

import type { Capability, PersonIcon } from '@bailiff/core';
import {
  DoorOpen,
  Eraser,
  Gavel,
  type LucideIcon,
  MessageSquareWarning,
  MicOff,
  TriangleAlert,
} from 'lucide-react';
import { useSearchParams } from 'next/navigation';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Dialog } from '#components/ui/dialog.tsx';
import { toast } from '#components/ui/toast.tsx';
import type { PersonOffer } from '#src/offers.ts';
import { ActForm, type ActTarget } from './act-form.tsx';

const ICONS = {
  'door-open': DoorOpen,
  eraser: Eraser,
  gavel: Gavel,
  'message-square-warning': MessageSquareWarning,
  'mic-off': MicOff,
  'triangle-alert': TriangleAlert,
} as const satisfies Record<PersonIcon, LucideIcon>;

/**
 * The buttons for operations on a person, each with its dialog. An address with `?act=` and an operation opens that
 * dialog, or says why it is impossible.
 */
export function ActOnMember({
  capabilities,
  offers,
  obstacles,
  ...target
}: ActTarget & {
  capabilities: readonly Capability[];
  offers: readonly PersonOffer[];
  /** Why operations are impossible now. */
  obstacles: Readonly<Record<string, string | undefined>>;
}) {
  const t = useTranslations('cases');
  const say = useTranslations('operations');
  const [open, setOpen] = useState<PersonOffer['operation'] | null>(null);
  const wanted = useSearchParams().get('act');
  const close = () => setOpen(null);
  /** Why an operation is impossible now, by the words of its button. */
  const obstacleTo = ({ operation, needs }: PersonOffer) =>
    capabilities.includes(needs) ? obstacles[operation] : t('needs', { capability: needs });
  const openWanted = useEffectEvent((name: string) => {
    const offer = offers.find(({ operation }) => operation === name);
    const obstacle = offer === undefined ? undefined : obstacleTo(offer);
    setOpen(obstacle === undefined ? (offer?.operation ?? null) : null);
    if (obstacle !== undefined) toast({ text: obstacle, tone: 'bad' });
    // Neither a reload nor going back opens it again.
    window.history.replaceState(null, '', window.location.pathname);
  });
  useEffect(() => {
    if (wanted !== null) openWanted(wanted);
  }, [wanted]);
  return (
    <>
      {offers.map((offer) => {
        const { operation, icon, danger } = offer;
        const Icon = ICONS[icon];
        const obstacle = obstacleTo(offer);
        return (
          <Button
            key={operation}
            variant={danger ? 'risky' : 'plain'}
            disabled={obstacle !== undefined}
            title={obstacle}
            onClick={() => setOpen(operation)}
          >
            <Icon aria-hidden size={16} />
            {say(`${operation}.dashboard.button`)}
          </Button>
        );
      })}
      {offers.map((offer) => {
        const { operation, danger } = offer;
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
              danger={danger}
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

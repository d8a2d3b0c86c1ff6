'use client';

import type { GameSanction } from '@bailiff/core';
import { useLocale, useTranslations } from 'use-intl/react';
import { CheckField } from '#components/ui/field.tsx';

/** A game server where somebody is known, and who they are there. */
export interface GamePlace {
  readonly server: string;
  readonly player: string;
}
export type GamePlaces = Readonly<Record<GameSanction, readonly GamePlace[]>>;

/** Asks whether to do it on game servers too, and says on which. Nothing where the person is not known. */
export function AlsoInGames({
  places,
  checked,
  onChange,
}: {
  places: readonly GamePlace[];
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const t = useTranslations('games');
  const locale = useLocale();
  if (places.length === 0) return null;
  const where = new Intl.ListFormat(locale).format(places.map((place) => t('where', { ...place })));
  return (
    <div>
      <CheckField label={t('also')} checked={checked} onChange={({ target }) => onChange(target.checked)} />
      <p className="text-ink-soft mt-1 text-xs wrap-anywhere">{where}</p>
    </div>
  );
}

/** The part of an answer that says what became of it on game servers. */
export interface GamesAnswer {
  readonly game_servers?: readonly { readonly outcome: 'done' | 'failed' | 'unknown' | 'not_tried' }[];
}

/** A message that says on how many game servers it was done. Null if none was to be told. */
export function useGamesSummary() {
  const t = useTranslations('games');
  return ({ game_servers: told = [] }: GamesAnswer) => {
    if (told.length === 0) return null;
    const done = told.filter(({ outcome }) => outcome === 'done').length;
    const tone = done === told.length ? ('good' as const) : ('bad' as const);
    return { text: t('summary', { done, count: told.length }), tone };
  };
}

'use client';

import type { Capability, DashboardField, InputOf } from '@bailiff/core';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import {
  AlsoInGames,
  type GamePlaces,
  type GamesAnswer,
  useGamesSummary,
} from '#components/servers/also-in-games.tsx';
import { Button } from '#components/ui/button.tsx';
import { ConfirmDialog } from '#components/ui/confirm-dialog.tsx';
import { TextAreaField } from '#components/ui/field.tsx';
import { toast } from '#components/ui/toast.tsx';
import { actionIn, writtenIn } from '#src/action-call.ts';
import type { CaseOffer } from '#src/offers.ts';

/** A case as the operations that end it identify it. */
interface NamedCase {
  readonly caseId: string;
  readonly userId: string;
}

/** How the input of each operation that ends a case identifies the case. */
const ENDINGS = {
  'strikes.remove': ({ caseId }) => ({ strikeId: caseId }),
  'warnings.remove': ({ caseId }) => ({ warningId: caseId }),
  'bans.lift': ({ userId }) => ({ userId }),
  'mutes.lift': ({ userId }) => ({ userId }),
} as const satisfies {
  [N in CaseOffer['operation']]: (named: NamedCase) => Omit<InputOf<N>, DashboardField>;
};

/** The button that removes a strike or warning or lifts a ban or mute. Its dialog asks for the reason. */
export function EndCase({
  guildId,
  offer: { operation, needs, inGames },
  caseId,
  number,
  userId,
  capabilities,
  games,
  obstacle,
}: {
  guildId: string;
  offer: CaseOffer;
  caseId: string;
  number: number;
  userId: string;
  capabilities: readonly Capability[];
  /** The game servers where they are known. */
  games: GamePlaces;
  /** Why it is impossible now. */
  obstacle?: string | undefined;
}) {
  const t = useTranslations('cases');
  const [open, setOpen] = useState(false);
  const [alsoInGames, setAlsoInGames] = useState(false);
  const summary = useGamesSummary();
  const places = inGames === null ? [] : games[inGames];
  const word = useTranslations('operations')(`${operation}.dashboard.button`);
  const may = capabilities.includes(needs);
  return (
    <>
      <Button
        disabled={!may || obstacle !== undefined}
        title={may ? obstacle : t('needs', { capability: needs })}
        onClick={() => setOpen(true)}
      >
        <Undo2 aria-hidden size={16} />
        {word}
      </Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        title={`${word} (#${number})`}
        description={t('endHint')}
        confirm={word}
        done={t('endedNow', { number: String(number) })}
        request={(form) => {
          const input = { ...ENDINGS[operation]({ caseId, userId }), ...writtenIn(form, 'reason') };
          const more = alsoInGames && places.length > 0 ? { game_servers: true } : {};
          return actionIn(guildId, operation, input, more);
        }}
        onDone={(answer: GamesAnswer) => {
          const told = summary(answer);
          if (told !== null) toast(told);
        }}
      >
        {(failure) => (
          <>
            <TextAreaField
              label={t('reasonOptional')}
              name="reason"
              rows={3}
              maxLength={512}
              error={failure?.issues.map(({ message }) => message)}
            />
            <AlsoInGames places={places} checked={alsoInGames} onChange={setAlsoInGames} />
          </>
        )}
      </ConfirmDialog>
    </>
  );
}

'use client';

import type { Game, ServerTemplates } from '@bailiff/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Panel, Section } from '#components/ui/panel.tsx';
import { ConsoleInput } from './console.tsx';
import { OnlinePlayers } from './online-players.tsx';
import type { ChosenPlayer } from './template-form.tsx';

interface Props {
  guildId: string;
  serverId: string;
  game: Game;
  templates: ServerTemplates | null;
  /** Whether the reader may open members' pages. */
  linked: boolean;
}

/** The console of a game server and its players: a player's buttons fill in the server's templates. */
export function ServerDesk({ linked, ...server }: Props) {
  const t = useTranslations('servers');
  const say = useTranslations('games.online');
  const [chosen, setChosen] = useState<ChosenPlayer | null>(null);
  const [picked, setPicked] = useState(0);
  return (
    <>
      <Section title={t('console')} lead={t('consoleLead')}>
        <Panel>
          <ConsoleInput {...server} chosen={chosen} />
        </Panel>
      </Section>
      {server.game === 'other' ? null : (
        <Section title={say('title')} lead={say('lead')}>
          <Panel>
            <OnlinePlayers
              {...server}
              linked={linked}
              onChoose={(player) => {
                setChosen({ ...player, picked: picked + 1 });
                setPicked(picked + 1);
              }}
            />
          </Panel>
        </Section>
      )}
    </>
  );
}

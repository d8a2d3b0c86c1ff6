'use client';

import { type GamePlatform, MOST_IDENTITY_CHARACTERS } from '@bailiff/core/game-identities';
import {
  fillTemplate,
  type Game,
  MOST_REASON_IN_GAME,
  PLATFORMS_OF_GAME,
  type ServerTemplates,
  TEMPLATE_ACTIONS,
  type TemplateAction,
} from '@bailiff/core/server-templates';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { SelectField, TextField } from '#components/ui/field.tsx';

/** A player for whom a template is to be filled in. */
export interface ChosenPlayer {
  readonly action: TemplateAction;
  readonly platform: GamePlatform;
  readonly player: string;
  /** How often somebody was picked: the next time, the form begins anew. */
  readonly picked: number;
}

/**
 * Asks for what a template of the server needs, and hands over its command. Nothing if the server has no template. With
 * a chosen player it is open, and asks for what is left.
 */
export function TemplateForm({
  game,
  templates,
  chosen: picked,
  onUse,
}: {
  chosen: ChosenPlayer | null;
  game: Game;
  templates: ServerTemplates;
  onUse: (command: string) => void;
}) {
  const t = useTranslations('servers');
  const say = useTranslations('commands');
  const actions = TEMPLATE_ACTIONS.filter((action) => templates[action] !== '');
  const platforms = PLATFORMS_OF_GAME[game];
  const [chosen, setChosen] = useState<TemplateAction>(picked?.action ?? 'kick');
  const [chosenPlatform, setPlatform] = useState<GamePlatform>(picked?.platform ?? 'other');
  const [player, setPlayer] = useState(picked?.player ?? '');
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('');
  const action = actions.includes(chosen) ? chosen : actions[0];
  const platform = platforms.includes(chosenPlatform) ? chosenPlatform : platforms[0];
  if (action === undefined || platform === undefined) return null;
  const template = templates[action];
  const hasPlayer = template.includes('{player}');
  const hasReason = template.includes('{reason}');
  const isStarted = hasPlayer ? player.trim() !== '' : reason.trim() !== '';
  const length = minutes.trim() === '' ? null : Number(minutes);
  const filled = fillTemplate(game, action, template, { platform, player, reason, minutes: length });
  return (
    <details className="border-line border-b px-4 py-3" open={picked === null ? undefined : true}>
      <summary className="cursor-pointer font-medium">{t('fromTemplate')}</summary>
      <div className="mt-3 grid gap-3 sm:grid-cols-2">
        <SelectField
          label={t('templateAction')}
          value={action}
          onChange={({ target }) =>
            setChosen(TEMPLATE_ACTIONS.find((each) => each === target.value) ?? action)
          }
        >
          {actions.map((each) => (
            <option key={each} value={each}>
              {t(`template.${each}`)}
            </option>
          ))}
        </SelectField>
        {hasPlayer && platforms.length > 1 ? (
          <SelectField
            label={t('playerKind')}
            value={platform}
            onChange={({ target }) =>
              setPlatform(platforms.find((each) => each === target.value) ?? platform)
            }
          >
            {platforms.map((each) => (
              <option key={each} value={each}>
                {say(`choices.${each}`)}
              </option>
            ))}
          </SelectField>
        ) : null}
        {hasPlayer ? (
          <TextField
            label={platforms.length > 1 ? t('player') : say(`choices.${platform}`)}
            maxLength={MOST_IDENTITY_CHARACTERS}
            autoComplete="off"
            spellCheck={false}
            value={player}
            onChange={({ target }) => setPlayer(target.value)}
          />
        ) : null}
        {hasReason ? (
          <TextField
            label={t(action === 'announce' ? 'message' : 'reason')}
            // Whoever picked a player goes on here.
            autoFocus={picked !== null}
            maxLength={MOST_REASON_IN_GAME}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        ) : null}
        {template.includes('{minutes}') ? (
          <TextField
            label={t('minutes')}
            inputMode="numeric"
            autoComplete="off"
            value={minutes}
            onChange={({ target }) => setMinutes(target.value)}
          />
        ) : null}
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-3">
        <p aria-live="polite" className="text-ink-soft min-w-0 text-xs wrap-anywhere">
          {filled.ok ? (
            <code className="font-mono">{filled.command}</code>
          ) : isStarted ? (
            t(`templateFlaw.${filled.flaw}`)
          ) : null}
        </p>
        <Button disabled={!filled.ok} onClick={() => (filled.ok ? onUse(filled.command) : undefined)}>
          {t('useTemplate')}
        </Button>
      </div>
    </details>
  );
}

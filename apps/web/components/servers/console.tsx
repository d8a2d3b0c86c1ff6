'use client';

import type { Game, ServerTemplates } from '@bailiff/core';
import { Play } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { useRendering } from '#components/rendering.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Button } from '#components/ui/button.tsx';
import { TextField } from '#components/ui/field.tsx';
import { FormFailure } from '#components/ui/form-failure.tsx';
import { useApi, useCall } from '#components/use-call.ts';
import { type ChosenPlayer, TemplateForm } from './template-form.tsx';
import { type Verdict, VerdictText } from './verdict.tsx';

/** The pause after which a typed command is checked, in milliseconds. */
const SETTLE_MS = 300;
const MOST_CHARACTERS = 1446;

/** The console: a field for a command, typed or from a template, the policy's verdict on it, and its button. */
export function ConsoleInput({
  guildId,
  serverId,
  game,
  templates,
  chosen,
}: {
  guildId: string;
  serverId: string;
  game: Game;
  templates: ServerTemplates | null;
  /** The player who was picked from those online, and what is to be done. */
  chosen: ChosenPlayer | null;
}) {
  const t = useTranslations('servers');
  const { call, busy, failure, forget } = useCall();
  const [command, setCommand] = useState('');
  const verdict = useVerdict(guildId, serverId, command);
  const run = async (event: FormEvent) => {
    event.preventDefault();
    const answer = await call('POST', `/api/guilds/${guildId}/actions`, {
      operation: 'servers.rcon',
      input: { serverId, command: command.trim() },
    });
    if (answer !== null) setCommand((now) => (now === command ? '' : now));
  };
  const denied = verdict?.allowed === false;
  return (
    <>
      {templates === null ? null : (
        <TemplateForm
          key={chosen?.picked ?? 0}
          chosen={chosen}
          game={game}
          templates={templates}
          onUse={(filled) => {
            forget();
            setCommand(filled);
          }}
        />
      )}
      <form onSubmit={(event) => void run(event)} className="p-4">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <TextField
              label={t('command')}
              required
              maxLength={MOST_CHARACTERS}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="font-mono"
              placeholder="list"
              value={command}
              onChange={({ target }) => {
                forget();
                setCommand(target.value);
              }}
              hint={t('commandHint')}
              error={failure?.issueOf('command') ?? failure?.message}
            />
            <FormFailure failure={failure} />
          </div>
          <Button
            type="submit"
            variant="primary"
            className="mt-6"
            disabled={busy || denied || command.trim() === ''}
            title={denied ? t('refusedHint') : undefined}
          >
            <Play aria-hidden size={15} />
            {busy ? t('running') : t('run')}
          </Button>
        </div>
        <p aria-live="polite" className="flex min-h-6 flex-wrap items-center gap-1.5">
          {verdict === null ? null : (
            <>
              <Badge tone={verdict.allowed ? 'good' : 'bad'}>
                {t(verdict.allowed ? 'allowed' : 'denied')}
              </Badge>
              <span className="text-ink-soft text-xs">
                <VerdictText verdict={verdict} />
              </span>
            </>
          )}
        </p>
      </form>
    </>
  );
}

/** The policy's verdict on the command. The same code judges the command when it is run. */
function useVerdict(guildId: string, serverId: string, command: string): Verdict | null {
  const api = useApi();
  const rendering = useRendering();
  const [known, setKnown] = useState<{ command: string; verdict: Verdict } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the policy may be another at each rendering
  useEffect(() => {
    if (command.trim() === '') return;
    let isOutdated = false;
    const timer = setTimeout(() => {
      const path = `/api/guilds/${guildId}/servers/${serverId}/judge-command`;
      void api<Verdict>('POST', path, { command: command.trim() }).then((answer) => {
        if (!isOutdated && !(answer instanceof CallFailure)) setKnown({ command, verdict: answer });
      });
    }, SETTLE_MS);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [api, guildId, serverId, command, rendering]);
  return known?.command === command ? known.verdict : null;
}

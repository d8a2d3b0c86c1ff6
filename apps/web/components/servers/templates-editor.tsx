'use client';

import {
  fillTemplate,
  flawOfTemplate,
  GAMES,
  type Game,
  MOST_TEMPLATE_CHARACTERS,
  NO_TEMPLATES,
  SAMPLE_VALUES,
  type ServerTemplates,
  TEMPLATE_ACTIONS,
  TEMPLATE_PRESETS,
  type TemplateAction,
  type TemplateFault,
} from '@bailiff/core/server-templates';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useSaved } from '#components/settings/use-saved.ts';
import { Button } from '#components/ui/button.tsx';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

interface Props {
  guildId: string;
  serverId: string;
  name: string;
  game: Game;
  templates: ServerTemplates;
}

/** The form in which an owner chooses a server's game and its commands, each with what it sends for a sample player. */
export function TemplatesEditor({ guildId, serverId, name, ...stored }: Props) {
  const t = useTranslations('servers');
  const { call, busy, failure, forget, refreshing } = useCall();
  const [saved, keepSaved] = useSaved(stored, refreshing);
  // Without what is not edited, which may be saved elsewhere meanwhile.
  const [edited, setEdited] = useState<{ game?: Game; templates?: Partial<ServerTemplates> }>({});
  const game = edited.game ?? saved.game;
  const templates: ServerTemplates = { ...saved.templates, ...edited.templates };
  const setTemplates = (chosen: ServerTemplates) => setEdited({ ...edited, templates: chosen });
  const sayFault = (fault: TemplateFault | null) =>
    fault === null ? undefined : t(`templateFault.${fault}`, { most: MOST_TEMPLATE_CHARACTERS });
  const choose = (chosen: Game) => {
    forget();
    // Commands that nobody has written themselves follow the game.
    const follow = isSame(templates, TEMPLATE_PRESETS[game]) || isSame(templates, NO_TEMPLATES);
    setEdited({ ...edited, game: chosen, ...(follow ? { templates: TEMPLATE_PRESETS[chosen] } : {}) });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const path = `/api/guilds/${guildId}/servers/${serverId}`;
    const changes = {
      ...(game === saved.game ? {} : { game }),
      ...(isSame(templates, saved.templates) ? {} : { templates }),
    };
    if (Object.keys(changes).length > 0) {
      if ((await call('PATCH', path, changes)) === null) return;
      keepSaved(changes);
    }
    setEdited((now) => (now === edited ? {} : now));
    toast({ text: t('saved', { name }) });
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-4 p-4">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 flex-1">
          <SelectField
            label={t('game')}
            value={game}
            onChange={({ target }) => choose(GAMES.find((each) => each === target.value) ?? game)}
          >
            {GAMES.map((each) => (
              <option key={each} value={each}>
                {t(`games.${each}`)}
              </option>
            ))}
          </SelectField>
        </div>
        <Button
          className="max-sm:whitespace-normal"
          disabled={isSame(templates, TEMPLATE_PRESETS[game])}
          onClick={() => setTemplates(TEMPLATE_PRESETS[game])}
        >
          {t('usePreset')}
        </Button>
      </div>
      {TEMPLATE_ACTIONS.map((action) => (
        <TextField
          key={action}
          label={t(`template.${action}`)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="font-mono"
          value={templates[action]}
          onChange={({ target }) => {
            forget();
            setEdited({ ...edited, templates: { ...edited.templates, [action]: target.value } });
          }}
          hint={<Preview game={game} action={action} template={templates[action].trim()} />}
          error={
            failure?.issueOf(`templates.${action}`) ??
            sayFault(flawOfTemplate(action, templates[action].trim()))
          }
        />
      ))}
      <FormActions submit={t('saveTemplates')} busy={busy} failure={failure} />
    </form>
  );
}

/** What a template sends for a sample player. */
function Preview({ game, action, template }: { game: Game; action: TemplateAction; template: string }) {
  const t = useTranslations('servers');
  if (template === '') return t('noTemplate');
  const filled = fillTemplate(game, action, template, SAMPLE_VALUES[game]);
  return filled.ok ? (
    <span className="wrap-anywhere">
      {t.rich('templateSends', { command: () => <code className="font-mono">{filled.command}</code> })}
    </span>
  ) : null;
}

function isSame(one: ServerTemplates, other: ServerTemplates): boolean {
  return TEMPLATE_ACTIONS.every((action) => one[action] === other[action]);
}

'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { Combobox } from '#components/ui/combobox.tsx';
import type { ComboboxOption } from '#components/ui/combobox-options.ts';

/** A channel that messages can be posted in. */
export interface ChannelChoice {
  readonly id: string;
  readonly name: string;
  readonly category: string | null;
  /** The permissions that Bailiff lacks there, in words; null if it lacks none. */
  readonly lacks: string | null;
}

export function channelText({ name }: Pick<ChannelChoice, 'name'>): string {
  return `#${name}`;
}

/** A field for a channel of the guild. The list says where Bailiff cannot write, and a link or an id is taken too. */
export function ChannelField({
  guildId,
  channels,
  value,
  ...props
}: {
  guildId: string;
  channels: readonly ChannelChoice[];
  value: string | null;
  label: string;
  hint: ReactNode;
  error: string | undefined;
  clear: string;
  placeholder: string;
  onChange: (channelId: string | null) => void;
  onUnknown: (typed: string | null) => void;
}) {
  const t = useTranslations('settings.guild');
  const optionOf = ({ id, name, category, lacks }: ChannelChoice): ComboboxOption => ({
    id,
    text: channelText({ name }),
    group: category,
    note: lacks === null ? null : t('channelLacks', { permissions: lacks }),
  });
  const options = channels.map(optionOf);
  const byId = (id: string): ComboboxOption =>
    options.find((option) => option.id === id) ?? { id, text: t('channelById', { id }) };
  return (
    <Combobox
      {...props}
      options={options}
      value={value === null ? null : byId(value)}
      offer={(typed) => {
        const id = readChannel(typed, guildId);
        return id === null ? null : byId(id);
      }}
    />
  );
}

/** The id of a channel of the guild from its link, its mention or its id. Null if it is none of them. */
function readChannel(typed: string, guildId: string): string | null {
  const [, guild, linked] = /\/channels\/(\d{17,20})\/(\d{17,20})\/?$/.exec(typed) ?? [];
  if (linked !== undefined) return guild === guildId ? linked : null;
  return /^(?:<#)?(\d{17,20})>?$/.exec(typed)?.[1] ?? null;
}

/** Whether a text is the link of a channel in another guild. */
export function isElsewhere(typed: string, guildId: string): boolean {
  const [, guild] = /\/channels\/(\d{17,20})\/\d{17,20}\/?$/.exec(typed) ?? [];
  return guild !== undefined && guild !== guildId;
}

'use client';

import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { type ChannelChoice, ChannelField, channelText } from './channel-field.tsx';
import { TestChannel } from './test-channel.tsx';

/** The choice of a channel in which Bailiff posts: what it lacks there, and a button that tries it. */
export function ChannelSetting({
  id,
  hint,
  ...field
}: {
  id: string;
  guildId: string;
  channels: readonly ChannelChoice[];
  label: string;
  /** What it says while none is chosen. */
  none: string;
  hint: ReactNode;
  error: string | undefined;
  value: string | null;
  onChange: (channelId: string | null) => void;
  onUnknown: (typed: string | null) => void;
}) {
  const t = useTranslations('settings.guild');
  const { guildId, channels, value, none, ...others } = field;
  const chosen = channels.find((each) => each.id === value);
  return (
    <div id={id} className="grid content-start gap-2">
      <ChannelField
        {...others}
        guildId={guildId}
        channels={channels}
        value={value}
        placeholder={none}
        clear={none}
        hint={hint}
      />
      {chosen == null || chosen.lacks === null ? null : (
        <p className="text-warn">{t('channelLacks', { permissions: chosen.lacks })}</p>
      )}
      {value === null ? null : (
        <TestChannel
          key={value}
          guildId={guildId}
          label={field.label}
          channel={{ id: value, text: chosen ? channelText(chosen) : t('channelById', { id: value }) }}
        />
      )}
    </div>
  );
}

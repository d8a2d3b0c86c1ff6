/** The address of a person's picture on Discord; null without one. */
export function avatarOf(userId: string, avatarHash: string | null): string | null {
  return avatarHash && `https://cdn.discordapp.com/avatars/${userId}/${avatarHash}.png?size=64`;
}

interface Names {
  readonly username: string | null;
  readonly display_name: string | null;
}

/** A person's names in one: `Otto (@otto.b)`, or `@otto.b` where nothing else is known. Null without a name. */
export function wholeName({ username, display_name }: Names): string | null {
  if (username === null) return display_name;
  const isNamed = display_name !== null && display_name !== username;
  return isNamed ? `${display_name} (@${username})` : `@${username}`;
}

interface Rename extends Names {
  readonly old_username: string | null;
  readonly old_display_name: string | null;
}

/** The names before and after a change, as much of them as is known of both. */
export function renamed(event: Rename): { readonly from: string | null; readonly to: string | null } {
  const old = { username: event.old_username, display_name: event.old_display_name };
  const isWhole = old.display_name !== null;
  return {
    from: wholeName(old),
    to: wholeName({ ...event, display_name: isWhole ? event.display_name : null }),
  };
}

import type { ComponentProps } from 'react';

/**
 * A link to another page of the site, which is shown without loading a whole document (FollowLinks). It is an element
 * of HTML and nothing else, so it costs no script, also where a list has one in every row.
 */
export function Link(props: ComponentProps<'a'> & { href: string }) {
  return <a data-follow="" {...props} />;
}

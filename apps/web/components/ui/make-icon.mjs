import { createElement } from 'react';

/**
 * Makes an icon of lucide-react in a build, in place of its own function (smaller-modules.mjs). That one also reads
 * defaults from around an icon and draws lines of any width, which no page uses and which costs each 2 KB.
 *
 * @param {{ node: [tag: string, attributes: object][] }} icon
 */
export default function makeIcon({ node }) {
  const lines = node.map(([tag, attributes]) => createElement(tag, attributes));
  return (/** @type {{ size?: number, className?: string }} */ { size = 24, ...props }) =>
    createElement('svg', { ...LOOK, width: size, height: size, ...props }, lines);
}

const LOOK = {
  viewBox: '0 0 24 24',
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
  'aria-hidden': true,
};

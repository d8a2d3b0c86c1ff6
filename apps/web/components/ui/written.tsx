import { showUnseen } from '@bailiff/core';

/**
 * What somebody wrote, with the characters written out that nobody sees: they could turn it around, or leave it empty.
 * Its direction is its own.
 */
export function Written({ text }: { text: string }) {
  return <bdi>{showUnseen(text, '\n\t')}</bdi>;
}

import { ApiError, type NotFoundNoun } from '@bailiff/core';
import { notFound } from './action-errors.ts';

/** @throws ApiError NOT_FOUND. Rows that do not exist and rows of other guilds give the same answer. */
export function absent(noun: NotFoundNoun, id: string): never {
  throw new ApiError('NOT_FOUND', notFound(noun, id).message);
}

import { AREAS, type Area, areaOf, REST_OPERATION_NAMES } from '@bailiff/core';

/** The operations grouped under the headings of the page, in the order of the operation table. */
export const SECTIONS = (Object.keys(AREAS) as Area[]).map((area) => ({
  id: area === 'me' ? 'token' : area,
  title: AREAS[area].title,
  operations: REST_OPERATION_NAMES.filter((name) => areaOf(name) === area),
}));

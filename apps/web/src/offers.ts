import {
  type Capability,
  type DashboardField,
  type DashboardOperation,
  entryOf,
  isCapability,
  OPERATION_NAMES,
  type PresetKind,
} from '@bailiff/core';

/** An operation as a page offers it: a button and the dialog behind it. */
interface Offer<Name> {
  readonly operation: Name;
  readonly needs: Capability;
  /** What the dialog asks for, in this order. */
  readonly fields: readonly { readonly name: DashboardField; readonly required: boolean }[];
  /** Which preset reasons can be picked. */
  readonly presets: PresetKind | null;
}

export type PersonOffer = Offer<DashboardOperation<'person'>>;
export type CaseOffer = Offer<DashboardOperation<'case'>>;

/** What can be done to a person from their page. */
export const PERSON_OFFERS: readonly PersonOffer[] = offersOn('person').map(
  ({ offer }) => offer as PersonOffer,
);

/** What ends a case of this kind; undefined where nothing does. */
export function caseOffer(kind: string): CaseOffer | undefined {
  return offersOn('case').find((each) => each.kind === kind)?.offer as CaseOffer | undefined;
}

function offersOn(on: 'person' | 'case') {
  return OPERATION_NAMES.flatMap((operation) => {
    const { capability, dashboard, input, presets = null } = entryOf(operation);
    if (dashboard?.on !== on || !isCapability(capability)) return [];
    const fields = dashboard.form.map((name) => ({
      name,
      required: !input.shape[name]?.safeParse(undefined).success,
    }));
    const kind = dashboard.on === 'case' ? dashboard.kind : null;
    return [{ kind, offer: { operation, needs: capability, fields, presets } }];
  });
}

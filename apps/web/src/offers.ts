import {
  type Capability,
  type DashboardField,
  type DashboardOperation,
  entryOf,
  isCapability,
  OPERATION_NAMES,
  type PresetKind,
} from '@bailiff/core';

/** An operation that a page offers with a button and a dialog. */
interface Offer<Name> {
  readonly operation: Name;
  readonly needs: Capability;
  /** The fields of the dialog in order. */
  readonly fields: readonly { readonly name: DashboardField; readonly required: boolean }[];
  /** The kind of preset reasons that can be picked. */
  readonly presets: PresetKind | null;
}

export type PersonOffer = Offer<DashboardOperation<'person'>>;
export type CaseOffer = Offer<DashboardOperation<'case'>>;

/** The operations on a person that their page offers. */
export const PERSON_OFFERS: readonly PersonOffer[] = offersOn('person').map(
  ({ offer }) => offer as PersonOffer,
);

/** The operation that ends a case of this kind; undefined if there is none. */
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

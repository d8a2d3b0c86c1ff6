import {
  type Capability,
  type DashboardField,
  type DashboardOperation,
  entryOf,
  type GameSanction,
  isCapability,
  OPERATION_NAMES,
  type PersonIcon,
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
  /** What can go to game servers with it. */
  readonly inGames: GameSanction | null;
}

export interface PersonOffer extends Offer<DashboardOperation<'person'>> {
  readonly icon: PersonIcon;
  readonly danger: boolean;
}
export type CaseOffer = Offer<DashboardOperation<'case'>>;

/** The operations on a person that their page offers, those with danger last. */
export const PERSON_OFFERS: readonly PersonOffer[] = offersOn('person')
  .flatMap(({ offer, dashboard }) =>
    dashboard.on === 'person'
      ? [{ ...offer, icon: dashboard.icon, danger: dashboard.danger === true } as PersonOffer]
      : [],
  )
  .toSorted((a, b) => Number(a.danger) - Number(b.danger));

/** The operation that ends a case of this kind; undefined if there is none. */
export function caseOffer(kind: string): CaseOffer | undefined {
  return offersOn('case').find(({ dashboard }) => dashboard.on === 'case' && dashboard.kind === kind)
    ?.offer as CaseOffer | undefined;
}

function offersOn(on: 'person' | 'case') {
  return OPERATION_NAMES.flatMap((operation) => {
    const { capability, dashboard, input, presets = null, inGames = null } = entryOf(operation);
    if (dashboard?.on !== on || !isCapability(capability)) return [];
    const fields = dashboard.form.map((name) => ({
      name,
      required: !input.shape[name]?.safeParse(undefined).success,
    }));
    return [{ dashboard, offer: { operation, needs: capability, fields, presets, inGames } }];
  });
}

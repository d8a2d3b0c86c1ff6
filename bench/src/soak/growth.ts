/** How a series grew: its slope, and the least slope that is still plausible (95 %, one-sided). */
export interface Growth {
  readonly perSecond: number;
  readonly leastPerSecond: number;
}

export interface Point {
  readonly seconds: number;
  readonly value: number;
}

/** The 95th percentile of the normal distribution. */
const Z_95 = 1.645;
const FEWEST_POINTS = 8;

/**
 * The slope of a series by Theil and Sen: the median of the slopes between every two points, which single peaks do not
 * move. The least plausible slope comes from how many pairs of points could be in the other order by chance (Sen 1968,
 * "Estimates of the regression coefficient based on Kendall's tau").
 *
 * @throws Error if there are too few points to say anything
 */
export function growthOf(points: readonly Point[]): Growth {
  const many = points.length;
  if (many < FEWEST_POINTS) throw new Error(`${many} samples are too few to judge; let it run longer.`);
  const slopes: number[] = [];
  for (const [index, from] of points.entries()) {
    for (const to of points.slice(index + 1)) {
      if (to.seconds > from.seconds) slopes.push((to.value - from.value) / (to.seconds - from.seconds));
    }
  }
  slopes.sort((a, b) => a - b);
  const deviation = Math.sqrt((many * (many - 1) * (2 * many + 5)) / 18);
  const rank = Math.floor((slopes.length - Z_95 * deviation) / 2);
  return {
    perSecond: slopes[Math.floor(slopes.length / 2)] ?? 0,
    leastPerSecond: slopes[Math.max(0, rank)] ?? 0,
  };
}

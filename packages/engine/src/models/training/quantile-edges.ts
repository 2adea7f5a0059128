/**
 * Returns the edges between `bins` quantile bins of these numbers, in rising order, each once: fewer edges when values
 * repeat. A value at an edge lies in the bin below it.
 */
export function quantileEdges(values: readonly number[], bins: number): number[] {
  if (values.length === 0) return [];
  const sorted = Float64Array.from(values).sort();
  const last = sorted[sorted.length - 1]!;
  const edges: number[] = [];
  for (let bin = 1; bin < bins; bin++) {
    const edge = sorted[Math.ceil((bin * sorted.length) / bins) - 1]! + 0;
    // An edge at the highest value would leave nothing above it.
    if (edge < last && (edges.length === 0 || edge > edges[edges.length - 1]!)) edges.push(edge);
  }
  return edges;
}

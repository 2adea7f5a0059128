/** Radius of the sphere in meters (docs/design/quality.md E24). */
const earthRadiusMeters = 6_371_000;

/** A place in degrees. */
export interface Coordinate {
  readonly latitude: number;
  readonly longitude: number;
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Returns the distance along the sphere in meters (haversine), not rounded. */
export function metersBetween(a: Coordinate, b: Coordinate): number {
  const latitudes = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2;
  const longitudes = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2;
  const square = latitudes + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * longitudes;
  // Rounding may leave antipodes a little above 1.
  return 2 * earthRadiusMeters * Math.asin(Math.sqrt(Math.min(1, square)));
}

/** Rounds half up, as distances are shown. */
export const wholeMeters = (meters: number): number => Math.floor(meters + 0.5);

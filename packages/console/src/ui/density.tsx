import { createContext, type ReactNode, useContext } from 'react';

/** Height of the rows of tables: 32 px, or 40. */
export type Density = 'compact' | 'comfortable';

const DensityContext = createContext<Density | null>(null);

/** The user's choice for all tables; null: each table's own default. */
export function useDensity(): Density | null {
  return useContext(DensityContext);
}

/** Gives every table below the height of rows that the person has chosen. */
export function DensityProvider({
  density,
  children,
}: {
  readonly density: Density | null;
  readonly children: ReactNode;
}) {
  return <DensityContext value={density}>{children}</DensityContext>;
}

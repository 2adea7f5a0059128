import type { CatalogueContent } from './catalogue-content.ts';
import { newPiece, type Piece } from './plan-pieces.ts';

/** Rules or policies in a piece. */
const rowsPerPart = 256;

/** Returns a plan without its head, in pieces that its versions share. */
export function piecesOf({
  lists,
  rules,
  policies,
  rows,
}: Pick<CatalogueContent, 'lists' | 'rules' | 'policies' | 'rows'>): Piece[] {
  return [
    newPiece(lists),
    ...inParts(rules).map((part) => newPiece({ rules: part })),
    ...inParts(policies).map((part) => newPiece({ policies: part })),
    ...rows.pieces.map(({ piece }) => piece),
    ...rows.contentItems.groups.map(({ piece }) => piece),
  ];
}

function inParts<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = [];
  for (let at = 0; at < rows.length; at += rowsPerPart) parts.push(rows.slice(at, at + rowsPerPart));
  return parts;
}

/** The tree of a formula. `at`: offset of the node in the source, in UTF-16 units. */
export type FormulaNode =
  | { readonly kind: 'literal'; readonly at: number; readonly value: number | string | boolean | null }
  | { readonly kind: 'path'; readonly at: number; readonly parts: readonly [string, string, ...string[]] }
  | { readonly kind: 'name'; readonly at: number; readonly name: string }
  | { readonly kind: 'unary'; readonly at: number; readonly operator: UnaryOperator; readonly operand: FormulaNode }
  | {
      readonly kind: 'binary';
      readonly at: number;
      readonly operator: BinaryOperator;
      readonly left: FormulaNode;
      readonly right: FormulaNode;
    }
  | {
      readonly kind: 'choice';
      readonly at: number;
      readonly test: FormulaNode;
      readonly yes: FormulaNode;
      readonly no: FormulaNode;
    }
  | { readonly kind: 'call'; readonly at: number; readonly name: string; readonly args: readonly FormulaNode[] };

export type UnaryOperator = '-' | '!';

export type BinaryOperator = '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%';

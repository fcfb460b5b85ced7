import type { Static, TSchema } from 'typebox';
import { expectTypeOf, it } from 'vitest';
import type * as schemas from '../../src/http/schemas.ts';
import type * as bodies from '../../src/library/bodies.ts';

/** What a schema lets through, as one who only reads it sees it. */
type Of<Name extends keyof typeof schemas> = (typeof schemas)[Name] extends TSchema
  ? Seen<Static<(typeof schemas)[Name]>>
  : never;
type Seen<T> = T extends readonly (infer Item)[]
  ? readonly Seen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Seen<T[Key]> }
    : T;

it('the published types of the bodies are those of the schemas that validate (checked by tsc)', () => {
  expectTypeOf<Seen<bodies.CheckoutSession>>().toEqualTypeOf<Of<'CheckoutSession'>>();
  expectTypeOf<Seen<bodies.Contract>>().toEqualTypeOf<Of<'Contract'>>();
  expectTypeOf<Seen<bodies.PlanInstallment>>().toEqualTypeOf<Of<'PlanInstallment'>>();
  expectTypeOf<Seen<bodies.Ping>>().toEqualTypeOf<Of<'Ping'>>();
  expectTypeOf<Seen<bodies.MerchantConfiguration>>().toEqualTypeOf<Of<'Config'>>();
  expectTypeOf<Seen<bodies.SessionCreate>>().toEqualTypeOf<Of<'SessionCreate'>>();
  expectTypeOf<Seen<bodies.ContractUpdate>>().toEqualTypeOf<Of<'ContractUpdate'>>();
  expectTypeOf<Seen<bodies.PageLinks>>().toEqualTypeOf<Of<'PageLinks'>>();
  expectTypeOf<Seen<bodies.PageMeta>>().toEqualTypeOf<Of<'PageMeta'>>();
});

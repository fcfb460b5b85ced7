import type { Cause } from '../domain/cause.ts';
import { createAuthenticate, heldKey, requireClearance, requireScope } from './authenticate.ts';
import * as contracts from './contract.ts';
import { foresee, foreseeOne, holds, whenReached } from './forecast.ts';
import { makeContract, planContract } from './history.ts';
import { settle } from './installment.ts';
import { createJournal } from './journal.ts';
import * as merchants from './merchant.ts';
import * as sessions from './session.ts';
import * as webhooks from './webhook.ts';
import type { World } from './world.ts';

/** Every verb, as a function of the world that it works on. */
const VERBS = {
  openSession: sessions.openSession,
  readSession: sessions.readSession,
  openedLink: sessions.openedLink,
  ownSession: sessions.ownSession,
  heldKey,
  acceptPlan: sessions.acceptPlan,
  correctEmail: sessions.correctEmail,
  payCartCapture: sessions.payCartCapture,
  completeCheckout: sessions.completeCheckout,
  backOut: sessions.backOut,
  makeContract,
  planContract,
  listContracts: contracts.listContracts,
  readContract: contracts.readContract,
  ownContract: contracts.ownContract,
  updateContract: contracts.updateContract,
  cancelContract: contracts.cancelContract,
  arrangeOutcomes: contracts.arrangeOutcomes,
  settle,
  createMerchant: merchants.createMerchant,
  createKey: merchants.createKey,
  revokeKey: merchants.revokeKey,
  changeSettings: merchants.changeSettings,
  changePlatform: merchants.changePlatform,
  createEndpoint: webhooks.createEndpoint,
  openEndpoint: webhooks.openEndpoint,
  findListener: webhooks.findListener,
  findReceiver: webhooks.findReceiver,
  setDisconnected: webhooks.setDisconnected,
  giveUpListener: webhooks.giveUpListener,
  readEndpoint: webhooks.readEndpoint,
  changeEndpoint: webhooks.changeEndpoint,
  removeEndpoint: webhooks.removeEndpoint,
  rotateSecret: webhooks.rotateSecret,
  testEndpoint: webhooks.testEndpoint,
  resendEvent: webhooks.resendEvent,
  foresee,
  foreseeOne,
  whenReached,
  holds,
};

type InWorld<F> = F extends (world: World, ...rest: infer Rest) => infer Result ? (...rest: Rest) => Result : never;
export type Verbs = { readonly [Name in keyof typeof VERBS]: InWorld<(typeof VERBS)[Name]> };

export type Engine = ReturnType<typeof createEngine>;

/** Binds every verb to one world. */
export function createEngine(world: World) {
  const actingIn = (acted: World) => new Acting(acted) as unknown as Verbs;
  return Object.assign(actingIn(world), {
    authenticate: createAuthenticate(world),
    requireClearance,
    requireScope,
    journal: createJournal(world),
    /** The verbs with a cause, which the rows that they write will name. */
    because: (cause: Cause): Verbs => actingIn({ ...world, cause }),
  });
}

/** The verbs are in the prototype, so that a request does not build a table of them. */
class Acting {
  readonly world: World;
  constructor(world: World) {
    this.world = world;
  }
}
for (const [name, verb] of Object.entries(VERBS) as [string, (world: World, ...rest: unknown[]) => unknown][]) {
  Object.defineProperty(Acting.prototype, name, {
    value(this: Acting, ...rest: unknown[]) {
      return verb(this.world, ...rest);
    },
  });
}

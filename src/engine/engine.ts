import { createAuthenticate, requireClearance, requireScope } from './authenticate.ts';
import * as contracts from './contract.ts';
import { nextDue } from './due.ts';
import { foresee, holds, reach } from './forecast.ts';
import { makeContract, planContract } from './history.ts';
import { settle } from './installment.ts';
import * as merchants from './merchant.ts';
import * as sessions from './session.ts';
import * as webhooks from './webhook.ts';
import type { World } from './world.ts';

export type Engine = ReturnType<typeof createEngine>;

/** Binds every verb to one world. */
export function createEngine(world: World) {
  return {
    authenticate: createAuthenticate(world),
    requireClearance,
    requireScope,
    openSession: sessions.openSession.bind(null, world),
    readSession: sessions.readSession.bind(null, world),
    openedLink: sessions.openedLink.bind(null, world),
    ownLink: sessions.ownLink.bind(null, world),
    acceptPlan: sessions.acceptPlan.bind(null, world),
    payCartCapture: sessions.payCartCapture.bind(null, world),
    backOut: sessions.backOut.bind(null, world),
    makeContract: makeContract.bind(null, world),
    planContract: planContract.bind(null, world),
    listContracts: contracts.listContracts.bind(null, world),
    readContract: contracts.readContract.bind(null, world),
    ownContract: contracts.ownContract.bind(null, world),
    updateContract: contracts.updateContract.bind(null, world),
    cancelContract: contracts.cancelContract.bind(null, world),
    arrangeOutcomes: contracts.arrangeOutcomes.bind(null, world),
    settle: settle.bind(null, world),
    createMerchant: merchants.createMerchant.bind(null, world),
    createKey: merchants.createKey.bind(null, world),
    revokeKey: merchants.revokeKey.bind(null, world),
    changeSettings: merchants.changeSettings.bind(null, world),
    changePlatform: merchants.changePlatform.bind(null, world),
    createEndpoint: webhooks.createEndpoint.bind(null, world),
    openEndpoint: webhooks.openEndpoint.bind(null, world),
    findListener: webhooks.findListener.bind(null, world),
    findReceiver: webhooks.findReceiver.bind(null, world),
    setDisconnected: webhooks.setDisconnected.bind(null, world),
    giveUpListener: webhooks.giveUpListener.bind(null, world),
    readEndpoint: webhooks.readEndpoint.bind(null, world),
    changeEndpoint: webhooks.changeEndpoint.bind(null, world),
    removeEndpoint: webhooks.removeEndpoint.bind(null, world),
    rotateSecret: webhooks.rotateSecret.bind(null, world),
    testEndpoint: webhooks.testEndpoint.bind(null, world),
    resendEvent: webhooks.resendEvent.bind(null, world),
    nextDue: nextDue.bind(null, world),
    foresee: foresee.bind(null, world),
    reach: reach.bind(null, world),
    holds: holds.bind(null, world),
  };
}

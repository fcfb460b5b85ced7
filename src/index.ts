export { CannotStart } from './domain/cannot-start.ts';
export { createSimulator, type SandboxShop, type Shop, type Simulator, type SimulatorOptions } from './simulator.ts';

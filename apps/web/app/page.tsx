import { x } from '../src/x.ts';
export default function P() { return <main>{x}</main>; }

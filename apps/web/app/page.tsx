export default function P() {
  return <main>hello</main>;
}

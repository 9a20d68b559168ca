// Starts the slides. The right arrow goes through everything, the slides below one another too.
Reveal.initialize({
  width: 1200, height: 700, margin: 0.05, center: false, hash: true, transition: "none", slideNumber: "c/t",
  navigationMode: "linear", plugins: [RevealNotes],
});

// Presets by picture: one sheet of small pictures that `ringlet render` made, in the order of its names.
const ORDER = ["1a", "1b", "1c", "2a", "2b", "2c", "3a", "3b", "3c", "4a", "4b", "4c", "coil", "redhead", "straight", "wavy"];

export function buildPresets(box, names, choose) {
  const sheet = new Image();
  const cards = names.filter((name) => !name.startsWith("horse")).map((name) => {
    const card = document.createElement("button"), canvas = document.createElement("canvas");
    canvas.width = canvas.height = 96;
    card.append(canvas, name);
    card.title = `hair.preset: ${name}`;
    card.onclick = () => choose(name);
    return { name, card, canvas };
  });
  sheet.onload = () => {
    for (const { name, canvas } of cards) {
      const at = ORDER.indexOf(name);
      if (at >= 0) canvas.getContext("2d").drawImage(sheet, 96 * at, 0, 96, 96, 0, 0, 96, 96);
    }
  };
  sheet.src = "presets.webp";
  box.replaceChildren(...cards.map(({ card }) => card));
}

package dev.parquetext.footer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Elements of a slice in preorder, the root first. */
final class Tree {
    final List<Element> elements;
    final List<Element> leaves;

    /**
     * @param elements all of them, each with its children counted
     * @param leaves those that are leaves, by their numbers
     */
    Tree(List<Element> elements, List<Element> leaves) {
        this.elements = elements;
        this.leaves = leaves;
    }

    /** The tree of these leaves, ascending, and the nodes above them. */
    static Tree of(FooterReader reader, List<Element> leaves) throws IOException, NotSliced {
        List<Element> elements = new ArrayList<>(leaves);
        boolean[] known = new boolean[reader.tail().nodes];
        for (Element leaf : leaves) {
            for (int node = leaf.parent; !known[node]; ) {
                known[node] = true;
                Element element = reader.node(node);
                elements.add(element);
                node = element.parent;
            }
        }
        return of(elements);
    }

    /** The tree that all of these elements make. */
    static Tree of(List<Element> elements) throws NotSliced {
        elements.sort(Comparator.comparingInt(element -> element.index));
        if (!elements.get(0).isRoot()) throw broken(elements.get(0));
        List<Element> open = new ArrayList<>(), leaves = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            Element element = elements.get(i);
            element.children = 0;
            if (i > 0) {
                while (!open.isEmpty() && open.get(open.size() - 1).number != element.parent)
                    open.remove(open.size() - 1);
                if (open.isEmpty() || element.index == elements.get(i - 1).index) throw broken(element);
                Element parent = open.get(open.size() - 1);
                if (!parent.holds(element)) throw broken(element);
                parent.children++;
            }
            if (element.isNode) open.add(element);
            else leaves.add(element);
        }
        for (int i = 1; i < leaves.size(); i++)
            if (leaves.get(i).number <= leaves.get(i - 1).number) throw broken(leaves.get(i));
        return new Tree(elements, leaves);
    }

    private static NotSliced broken(Element element) {
        String message = "schema elements that are not a tree, at number " + element.index;
        return new NotSliced(NotSliced.Reason.DAMAGED, message);
    }
}

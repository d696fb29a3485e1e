import CAdwaita

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension Widget {
    /// The widget as one of its classes, as C's macros cast it: an object of GLib begins with its parent.
    func cast<Class>(to type: Class.Type = Class.self) -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    /// The widget as one of the classes and interfaces whose insides GTK does not show.
    var opaque: OpaquePointer { OpaquePointer(self) }

    var isVisible: Bool {
        get { gtk_widget_get_visible(self) != 0 }
        nonmutating set { gtk_widget_set_visible(self, newValue ? 1 : 0) }
    }

    var isSensitive: Bool {
        get { gtk_widget_is_sensitive(self) != 0 }
        nonmutating set { gtk_widget_set_sensitive(self, newValue ? 1 : 0) }
    }

    /// The middle of the widget on its window's surface; nil while it is not shown.
    var place: (x: Int, y: Int)? {
        guard gtk_widget_get_mapped(self) != 0, let native = gtk_widget_get_native(self) else { return nil }
        var (x, y, left, top) = (0.0, 0.0, 0.0, 0.0)
        let (width, height) = (gtk_widget_get_width(self), gtk_widget_get_height(self))
        gtk_widget_translate_coordinates(self, Widget(native), Double(width) / 2, Double(height) / 2, &x, &y)
        gtk_native_get_surface_transform(native, &left, &top)
        return (Int(x + left), Int(y + top))
    }

    /// A row of a list with a title. None of its texts is markup.
    static func row(_ title: String, subtitle: String = "") -> Widget {
        let row = adw_action_row_new()!
        adw_preferences_row_set_use_markup(row.cast(), 0)
        adw_preferences_row_set_title(row.cast(), title)
        adw_action_row_set_subtitle(row.cast(), subtitle)
        adw_action_row_set_title_lines(row.cast(), 0)
        adw_action_row_set_subtitle_lines(row.cast(), 0)
        return row
    }

    /// Sets the text below the title of a group of rows, which libadwaita takes for markup: in a path, & and < stand for themselves.
    func setDescription(_ text: String?) {
        let escaped = text.map { g_markup_escape_text($0, -1)! }
        adw_preferences_group_set_description(cast(), escaped)
        g_free(escaped)
    }

    /// Puts `control` at the end of the row.
    func addSuffix(_ control: Widget) {
        gtk_widget_set_valign(control, GTK_ALIGN_CENTER)
        adw_action_row_add_suffix(cast(), control)
    }

    /// A button with a picture, and what it does in words.
    static func button(icon: String, tooltip: String) -> Widget {
        let button = gtk_button_new_from_icon_name(icon)!
        gtk_widget_set_tooltip_text(button, tooltip)
        gtk_widget_add_css_class(button, "flat")
        return button
    }
}

namespace app {

// A window.
class Window : public Base {
 public:
  explicit Window(int x) : x_(x) {}
  ~Window() { close(); }
  int width() const { return x_; }
  void draw();

 private:
  int x_;
};

void Window::draw() {
  for (int i = 0; i < 3; i++) {
    paint(i);
  }
}

template <typename T>
T twice(T x) { return x + x; }

}  // namespace app

extern "C" {
int exported(void) { return 1; }
}

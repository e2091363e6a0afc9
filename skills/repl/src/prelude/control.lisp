;;;; Declarations that say nothing here, errors, output to strings, and what else is a macro.

(defmacro declaim (&rest specifiers) nil)
(defmacro proclaim (specifier) nil)
(defmacro in-package (name) nil)
(defmacro the (type form) form)
(defmacro eval-when (situations &body body) `(progn ,@body))
(defmacro time (form) form)

(defmacro ignore-errors (&body body)
  (let ((condition (gensym)))
    `(handler-case (progn ,@body)
       (error (,condition) (values nil ,condition)))))

(defmacro assert (test &rest ignored)
  `(if ,test nil (error "The assertion ~S failed." ',test)))

(defmacro check-type (place type &optional string)
  `(if (typep ,place ',type) nil (%type-error ,place ',type)))

(defmacro handler-bind (bindings &body body)
  (if bindings
      (%unsupported "HANDLER-BIND is not supported here; use HANDLER-CASE.")
      `(progn ,@body)))

(defmacro define-condition (name &rest ignored)
  (%unsupported "DEFINE-CONDITION is not supported here; signal ~S with (ERROR '~S) or a string." name name))

(defmacro defclass (name &rest ignored)
  (%unsupported "DEFCLASS is not supported here; use DEFSTRUCT for ~S." name))

(defmacro defgeneric (name &rest ignored)
  (%unsupported "DEFGENERIC is not supported here; use DEFUN and TYPECASE for ~S." name))

(defmacro defmethod (name &rest ignored)
  (%unsupported "DEFMETHOD is not supported here; use DEFUN and TYPECASE for ~S." name))

(defmacro with-output-to-string ((stream &rest ignored) &body body)
  (if (eq stream '*standard-output*)
      `(let ((*standard-output* (make-string-output-stream)))
         ,@body
         (get-output-stream-string *standard-output*))
      `(let ((,stream (make-string-output-stream)))
         ,@body
         (get-output-stream-string ,stream))))

(defun constantly (value) (lambda (&rest ignored) value))

(defun complement (function)
  (lambda (&rest arguments) (not (apply function arguments))))

(defun macroexpand (form &optional environment)
  (multiple-value-bind (expansion expanded) (macroexpand-1 form)
    (if expanded
        (values (macroexpand expansion) t)
        (values form nil))))

